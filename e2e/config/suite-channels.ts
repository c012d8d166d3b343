/** The channels of the shop that suites share: their codes, which are their tokens. */
export const SUITE_CHANNELS: readonly string[] = Array.from({ length: 16 }, (_, i) => `suite-${i + 1}`);
