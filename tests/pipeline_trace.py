# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiled training jobs made up for tests: 1F1B pipelines with a planted cause of slowness, as the
CSV that `laggard whatif` reads. Nothing here knows how laggard replays them."""
import random

COLUMNS = 'dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc'
FORWARD, BACKWARD, TRANSFER = 0.060, 0.120, 0.001  # [s]
GATHER, SCATTER, CLIP, OPTIMIZER, EMBEDDING = 0.020, 0.040, 0.010, 0.030, 0.005


class Job:
    """A job of dp x pp workers; `plant` holds what is wrong with it:
    worker (dp, stage, factor), last_stage factor, sequences (their deviation), link (dp, stage,
    factor), gc (pauses a step, seconds), clock (dp, stage, seconds)."""

    def __init__(self, dp=4, pp=4, steps=8, batches=8, noise=0.01, seed=1, **plant):
        self.dp, self.pp, self.steps, self.batches = dp, pp, steps, batches
        self.noise, self.plant = noise, plant
        self.jitter, self.causes = random.Random(seed), random.Random(seed + 1)
        self.loads, self.step_times, self.rows = [], [], []

    def compute(self, usual, d, stage, load):
        time = usual * load * max(self.jitter.gauss(1, self.noise), 0.5)
        if 'worker' in self.plant and self.plant['worker'][:2] == (d, stage):
            time *= self.plant['worker'][2]
        if 'last_stage' in self.plant and stage == self.pp - 1:
            time *= self.plant['last_stage']
        return time

    def transfer(self, d, stage):
        slow = 'link' in self.plant and self.plant['link'][:2] == (d, stage)
        return TRANSFER * max(self.jitter.gauss(1, self.noise), 0.5) * (self.plant['link'][2] if slow else 1)

    def add(self, where, kind, start, end, seq, batch=-1):
        step, d, stage = where
        skew = self.plant['clock'][2] if self.plant.get('clock', ())[:2] == (d, stage) else 0
        computes = kind.endswith('compute')
        self.rows.append((d, stage, stage * self.dp + d, step, kind, self.base + start + skew, end - start,
                          seq, 0 if computes or kind in ('params-all-gather', 'grads-reduce-scatter') else -1,
                          batch, stage if computes else -1))

    def order(self, stage):
        """The computes of a stage: ('forward', 0), ..."""
        warm_up = min(self.pp - stage, self.batches)
        result = [('forward', k) for k in range(warm_up)]
        for k in range(self.batches):
            result.append(('backward', k))
            if warm_up + k < self.batches:
                result.append(('forward', warm_up + k))
        return result

    def exchange(self, where, kind, k, sender, receiver, state):
        """The k-th transfer from one stage to its neighbour; returns when it ends."""
        step, d, _ = where
        ends, streams, work = state
        launched = ends[receiver, kind, k - 1] if k > 0 else 0
        if k == 0 and kind == 'backward':
            before = min(self.pp - receiver, self.batches) - 2
            launched = ends[receiver, 'forward', before] if before >= 0 else 0
        sent = max(ends[sender, kind, k], streams.get((sender, kind, 'send'), 0))
        received = max(launched, streams.get((receiver, kind, 'recv'), 0))
        end = max(sent, received) + work
        streams[sender, kind, 'send'] = streams[receiver, kind, 'recv'] = end
        self.add((step, d, sender), kind + '-send', sent, end, k)
        self.add((step, d, receiver), kind + '-recv', received, end, k)
        return end

    def pipeline(self, step, d, gather, loads, pauses):
        """When each stage has done its last compute."""
        ends, streams, free = {}, {}, [gather] * self.pp
        todo = [self.order(stage) for stage in range(self.pp)]
        at = [0] * self.pp
        while any(at[s] < len(todo[s]) for s in range(self.pp)):
            for stage in range(self.pp):
                while at[stage] < len(todo[stage]):
                    kind, k = todo[stage][at[stage]]
                    sender = stage - 1 if kind == 'forward' else stage + 1
                    start = free[stage]
                    if 0 <= sender < self.pp:
                        if (sender, kind, k) not in ends:
                            break
                        work = self.transfer(d, min(stage, sender))
                        start = max(start, self.exchange((step, d, stage), kind, k, sender, stage,
                                                         (ends, streams, work)))
                    usual = FORWARD if kind == 'forward' else BACKWARD
                    end = start + self.compute(usual, d, stage, loads[k])
                    if kind == 'forward':
                        end += pauses.get((d, stage, k), 0)
                    ends[stage, kind, k] = free[stage] = end
                    self.add((step, d, stage), kind + '-compute', start, end, k, k)
                    at[stage] += 1
        return free

    def tail(self, step, done):
        """From the last computes to the end of the step; done[d][stage]."""
        ready = [[t for t in row] for row in done]
        for d in range(self.dp):
            for stage in range(self.pp):
                self.add((step, d, stage), 'gc', ready[d][stage], ready[d][stage], 0)
                self.add((step, d, stage), 'layernorm-grads-all-reduce', ready[d][stage],
                         ready[d][stage] + 1e-4, 0)
                ready[d][stage] += 1e-4
            end = max(ready[d][0], ready[d][-1]) + EMBEDDING
            for stage in sorted({0, self.pp - 1}):
                self.add((step, d, stage), 'embedding-grads-all-reduce', ready[d][stage], end, 0)
                ready[d][stage] = end
        clipped = 0
        for stage in range(self.pp):
            end = max(ready[d][stage] for d in range(self.dp)) + SCATTER
            for d in range(self.dp):
                self.add((step, d, stage), 'grads-reduce-scatter', ready[d][stage], end, 0)
                ready[d][stage] = end
            clipped = max(clipped, end)
        clipped += CLIP
        for d in range(self.dp):
            for stage in range(self.pp):
                self.add((step, d, stage), 'optimizer-clip-main-grad', ready[d][stage], clipped, 0)
                self.add((step, d, stage), 'optimizer', clipped, clipped + OPTIMIZER, 0)
        return clipped + OPTIMIZER

    def run(self):
        self.base = 0.0
        count, pause = self.plant.get('gc', (0, 0))
        for step in range(self.steps):
            done = []
            pauses = {}
            for _ in range(count):
                pauses[self.causes.randrange(self.dp), self.causes.randrange(self.pp),
                       self.causes.randrange(self.batches)] = pause
            for d in range(self.dp):
                loads = [1.0] * self.batches
                if 'sequences' in self.plant:
                    loads = [max(self.causes.gauss(1, self.plant['sequences']), 0.2) for _ in loads]
                self.loads += loads
                for stage in range(self.pp):
                    self.add((step, d, stage), 'params-all-gather', 0, GATHER, 0)
                done.append(self.pipeline(step, d, GATHER, loads, pauses))
            self.step_times.append(self.tail(step, done))
            self.base += self.step_times[-1] + 0.01
        return self

    def mean_step(self):
        return sum(self.step_times) / self.steps

    def write(self, path):
        with open(path, 'w', encoding='ascii') as file:
            file.write(COLUMNS + '\n')
            for row in self.rows:
                file.write(','.join(map(str, row)) + '\n')
