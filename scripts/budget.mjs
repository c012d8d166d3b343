// The time budget of test files. A line of `.test-data/times.jsonl` contains, for one file: how long it took (wallMs), the part of that in its tests
// (inTestsMs), how long it had a processor (workedMs), and how long it was ready while no processor was free (waitedMs). The last is caused by other processes
// of the machine. Databases and child processes run on the same machine, so their time is assumed to be stretched by the same factor as the file's own work. So
// the results on a busy machine are comparable with those on a quiet one.

const seconds = ms => (ms / 1000).toFixed(1);
const share = ({ wallMs, inTestsMs }) => (wallMs > 0 ? (wallMs - inTestsMs) / wallMs : 0);
/** How long it would have taken on a quiet machine. */
const quietMs = ({ wallMs, workedMs, waitedMs }) => {
    const stretch = workedMs > 0 ? (workedMs + waitedMs) / workedMs : 1;
    return workedMs + Math.max(0, wallMs - workedMs - waitedMs) / stretch;
};
/** The sums of time that are reported, by the names of files. */
const TIERS = [
    ['Unit', /\.spec\.[jt]s$/],
    ['Contract', /\.contract\.ts$/],
    ['E2E', /\.e2e\.ts$/],
];
const isBudgeted = ({ file }) => /\.(e2e|contract)\.ts$/.test(file);
const sumOf = times => ({
    wallMs: times.reduce((sum, { wallMs }) => sum + wallMs, 0),
    inTestsMs: times.reduce((sum, { inTestsMs }) => sum + inTestsMs, 0),
});

/** Each file that exceeds its line of the budget, in its time or in its share of set-up. */
export function faultsOf(times, { files, others, all }) {
    const budgeted = times.filter(isBudgeted);
    if (budgeted.length === 0) return ['no file with a server has said how long it took'];
    const whole = Math.round(share(sumOf(budgeted)) * 100);
    const tooMuch =
        whole > all.setUpShare * 100
            ? [`all of them took ${whole} % of their time for set-up; allowed: ${all.setUpShare * 100} %`]
            : [];
    return [
        ...tooMuch,
        ...budgeted.flatMap(time => {
            const line = files[time.file] ?? others;
            const faults = [];
            if (quietMs(time) > line.seconds * 1000)
                faults.push(`${time.file} took ${seconds(quietMs(time))} s; allowed: ${line.seconds} s`);
            // In a fast file the share of set-up does not matter.
            if (quietMs(time) > others.seconds * 500 && share(time) > line.setUpShare)
                faults.push(
                    `${time.file} took ${Math.round(share(time) * 100)} % of its time for set-up; allowed: ${line.setUpShare * 100} %`,
                );
            return faults;
        }),
    ];
}

/** Where the time went: the ten slowest files and the sum. */
export function report(times) {
    const row = time =>
        `  ${seconds(time.wallMs).padStart(7)} s  ${String(Math.round(share(time) * 100)).padStart(3)} % set-up  ${String(time.tests).padStart(4)} tests  ${time.file}`;
    const slowest = [...times].sort((a, b) => b.wallMs - a.wallMs).slice(0, 10);
    const sum = (title, of) =>
        `${title}, ${of.length} files: ${seconds(sumOf(of).wallMs)} s of workers, ${Math.round(share(sumOf(of)) * 100)} % of it set-up.`;
    return [
        'The slowest files:',
        ...slowest.map(row),
        ...TIERS.map(([title, files]) => [title, times.filter(({ file }) => files.test(file))])
            .filter(([, of]) => of.length > 0)
            .map(([title, of]) => sum(title, of)),
        sum('All', times),
        sum('With servers', times.filter(isBudgeted)),
    ].join('\n');
}
