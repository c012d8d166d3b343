// What test files may cost. A line of `.test-data/times.jsonl` says of a file how long it took (wallMs), how much of that its tests did
// (inTestsMs), and how long it was ready to work while no processor was free (waitedMs). The last is not the file's fault: it does not count,
// so that a busy machine judges like a quiet one.

const seconds = ms => (ms / 1000).toFixed(1);
const share = ({ wallMs, inTestsMs }) => (wallMs > 0 ? (wallMs - inTestsMs) / wallMs : 0);
const ownMs = ({ wallMs, waitedMs }) => Math.max(0, wallMs - waitedMs);
const isBudgeted = ({ file }) => /\.(e2e|contract)\.ts$/.test(file);
const sumOf = (times, of) => times.reduce((sum, time) => sum + of(time), 0);

/** Each file that takes longer, or a greater part of its time for set-up, than its line of the budget allows. */
export function faultsOf(times, { files, others }) {
    return times.filter(isBudgeted).flatMap(time => {
        const line = files[time.file] ?? others;
        const faults = [];
        if (ownMs(time) > line.seconds * 1000)
            faults.push(`${time.file} took ${seconds(ownMs(time))} s; allowed: ${line.seconds} s`);
        // Of a file that is quick, nobody cares what it does in its few seconds.
        if (ownMs(time) > others.seconds * 500 && share(time) > line.setUpShare)
            faults.push(
                `${time.file} took ${Math.round(share(time) * 100)} % of its time for set-up; allowed: ${line.setUpShare * 100} %`,
            );
        return faults;
    });
}

/** Where the time went: the ten slowest files and the sum. */
export function report(times) {
    const row = time =>
        `  ${seconds(time.wallMs).padStart(7)} s  ${String(Math.round(share(time) * 100)).padStart(3)} % set-up  ${String(time.tests).padStart(4)} tests  ${time.file}`;
    const slowest = [...times].sort((a, b) => b.wallMs - a.wallMs).slice(0, 10);
    const all = { wallMs: sumOf(times, time => time.wallMs), inTestsMs: sumOf(times, time => time.inTestsMs) };
    return [
        'The slowest files:',
        ...slowest.map(row),
        `All ${times.length} files: ${seconds(all.wallMs)} s of workers, ${Math.round(share(all) * 100)} % of it set-up.`,
    ].join('\n');
}
