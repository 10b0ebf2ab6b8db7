# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests that run the program from outside share: LAGGARD=path of it. They print TAP."""
import contextlib
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import traceback

PROGRAM = os.environ['LAGGARD']
LATE = '''laggard: 1
name: t
cluster: {gpus: 8, network: {topology: switch, bandwidth: 450 GB/s, latency: 3 us}}
workload: {collective: allreduce, size: 1 GiB}
algorithms: [ring, {name: stragglar, straggler: 7}]
stragglers: [{ranks: [7], delay: {exponential: {mean: 1 ms}}}]
'''


def sweep(n_points, replications=1):
    # Where 8 ranks are worth StragglAR: below 5 MB it would be warned about.
    sizes = ', '.join(f'{i + 6} MiB' for i in range(n_points))
    return f'{LATE}run: {{replications: {replications}}}\nsweep: {{axes: {{workload.size: [{sizes}]}}}}\n'


@contextlib.contextmanager
def scratch(text=LATE):
    """A folder with the scenario s.yaml in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / 's.yaml').write_text(text)
        yield folder


def command(*arguments):
    return [PROGRAM, 'run', 's.yaml', *map(str, arguments)]


def sweep_command(*arguments):
    return [PROGRAM, 'sweep', 's.yaml', *map(str, arguments)]


def run(folder, *arguments, **options):
    environment = {**os.environ, 'LC_ALL': 'C'}
    return subprocess.run(command(*arguments), cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=100, **options)


def query(path, sql):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


class Skip(Exception):
    pass


def run_tests(*tests):
    failed = 0
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        name = test.__name__.removeprefix('test_').replace('_', ' ')
        try:
            test()
            print(f'ok {number} {name}', flush=True)
        except Skip as reason:
            print(f'ok {number} {name} # SKIP {reason}', flush=True)
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f'not ok {number} {name}', flush=True)
    sys.exit(1 if failed else 0)
