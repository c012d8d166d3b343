import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { defineExtractor, type Page } from '../core/adapter/extractor';
import { readingChecks } from './reading-checks';

type PlaceOf = NonNullable<Page['placeOf']>;

/** The problems of an extractor with two pages whose records have places; `from` is where the reading resumes. */
async function problemsOf(placesFrom: (from: number, page: number) => PlaceOf): Promise<readonly string[]> {
    const two = defineExtractor({
        code: 'two',
        category: 'Toy',
        title: 'Two',
        summary: 'Yields two pages.',
        config: z.strictObject({}),
        async *extract(_config, cx): AsyncGenerator<Page, void, void> {
            const from = Number(cx.resumeFrom ?? 0);
            for (let page = from; page < 2; page++) {
                await nextTurn();
                cx.signal.throwIfAborted();
                const issue = {
                    index: 0,
                    data: {},
                    path: 'a',
                    problem: 'is not a record',
                    place: placesFrom(from, page)(0),
                };
                yield {
                    records: [{ page }],
                    faults: [issue],
                    checkpoint: page + 1,
                    placeOf: index => placesFrom(from, page)(index + 1),
                };
                if (cx.limit !== undefined && page + 1 >= cx.limit) return;
            }
        },
    });
    const problems: string[] = [];
    for (const { name, run } of readingChecks(two, { name: 'it', config: {} })) {
        try {
            await run();
        } catch (error) {
            problems.push(`${name}: ${String(error)}`);
        }
    }
    return problems;
}

describe('the places of records', () => {
    it('are valid if they are the same however the reading reached them, or not known there', async () => {
        expect(await problemsOf((_, page) => index => `line ${page * 2 + index}`)).toEqual([]);
        expect(await problemsOf((from, page) => index => (from > 0 ? undefined : `line ${page * 2 + index}`))).toEqual(
            [],
        );
    });

    it('are found to count from the place where a run resumes', async () => {
        const problems = await problemsOf((from, page) => index => `line ${(page - from) * 2 + index}`);
        expect(problems).toEqual([expect.stringContaining('line 0')]);
    });

    it('are found to be empty', async () => {
        expect((await problemsOf(() => () => ' ')).join()).toContain('" "');
    });
});
