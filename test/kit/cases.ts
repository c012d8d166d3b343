/**
 * How many random cases a property is tried with: fewer in `npm test`, all of them in `npm run test:release` and when you run its spec
 * alone.
 */
export const casesOf = ({ all, inTest }: { readonly all: number; readonly inTest: number }): number =>
    process.env.FLOW_TEST_TIER === 'test' ? inTest : all;
