/** What happens a second, from how long it took each time in ms. The quicker quarter counts, so that what else the machine does meanwhile does not. */
export function ratePerSecond(times: readonly number[], count: number): number {
    return count / ([...times].sort((one, other) => one - other)[Math.floor(times.length / 4)]! / 1000);
}
