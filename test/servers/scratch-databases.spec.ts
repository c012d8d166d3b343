import { dropScratch, isStale, scratchName } from './scratch-databases';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('scratch databases', () => {
    it('count as left over when they are more than a day old', () => {
        const name = scratchName('4711', 1);
        expect(isStale(name)).toBe(false);
        expect(isStale(name, Date.now() + DAY_MS / 2)).toBe(false);
        expect(isStale(name, Date.now() + DAY_MS + 2000)).toBe(true);
    });

    it('never include a database of others', async () => {
        const dropped: string[] = [];
        const mine = scratchName('4711', 1);
        const unused = () => Promise.reject(new Error('not to be called'));
        const server = {
            list: () => Promise.resolve(['postgres', 'flow', 'flow_test', 'flow_testing_shop', mine]),
            drop: (name: string) => {
                dropped.push(name);
                return Promise.resolve();
            },
            create: unused,
            rename: unused,
            close: unused,
        };
        await dropScratch(server, () => true);
        expect(dropped).toEqual([mine]);
        expect(isStale('flow_testing_shop')).toBe(false);
    });
});
