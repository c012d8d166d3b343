import { firstBytes } from './first-bytes';

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
    for (const [i, size] of sizes.entries()) yield new Uint8Array(size).fill(i);
}

describe('the first bytes of a file', () => {
    it.each([
        ['come out of as many pieces as it takes', [200, 311, 1, 100], 512],
        ['are all of a file that is shorter', [3, 4], 7],
        ['are empty for an empty file', [], 0],
        ['are the whole first piece where that is enough', [1000, 1000], 1000],
    ])('%s', async (_, sizes, length) => {
        expect(await firstBytes(chunks(...sizes))).toHaveLength(length);
    });

    it('are in their order, and the file is closed after them', async () => {
        const closed = jest.fn();
        async function* file(): AsyncGenerator<Uint8Array, void, void> {
            try {
                yield* chunks(1, 1, 1, 1);
            } finally {
                closed();
            }
        }
        expect([...(await firstBytes(file(), 3))]).toEqual([0, 1, 2]);
        expect(closed).toHaveBeenCalledTimes(1);
    });
});
