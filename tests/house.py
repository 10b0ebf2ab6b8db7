# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checkers of this repository share: the tree, its files, and how faults are told."""
import pathlib
import re
import sys

FOLDERS = ['sim', 'algorithms', 'kernels', 'scenarios', 'results', 'tools', 'tests']
ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)

_faults = []


def files(*suffixes):
    """Paths below FOLDERS with one of these suffixes, relative to the root, sorted."""
    found = (p for f in FOLDERS for p in (ROOT / f).rglob('*') if p.suffix in suffixes)
    return sorted(p.relative_to(ROOT) for p in found if p.is_file())


def read(path):
    return (ROOT / path).read_text(encoding='utf-8')


def code(text):
    """C source with comments and the insides of literals blanked, line numbers kept."""
    hidden = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(hidden, lambda m: '\n' * m.group().count('\n'), text, flags=re.DOTALL)


def fault(path, line, message):
    _faults.append(f'{path}:{line}: {message}')


def finish():
    print('\n'.join(_faults) or 'no faults')
    sys.exit(1 if _faults else 0)
