/**
 * Events per second, computed from the ms of each. The fastest quarter counts, so that other work of the machine does
 * not matter.
 */
export function ratePerSecond(times: readonly number[], count: number): number {
    return count / ([...times].sort((one, other) => one - other)[Math.floor(times.length / 4)]! / 1000);
}
