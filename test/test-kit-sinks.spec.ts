import {
    defineSink,
    flowError,
    type JsonObject,
    type Outcome,
    recordInvalid,
    type Sink,
    sinkFields,
    type SinkSession,
    z,
} from '../src';
import { type ContractCheck, sinkContract, type SinkStand } from '../src/testing';

/** The names of the checks that a sink does not pass. */
async function failing(checks: readonly ContractCheck[]): Promise<string[]> {
    const names: string[] = [];
    for (const { name, run } of checks)
        await run().catch(() => {
            names.push(name);
        });
    return names;
}

describe('sinkContract of what defineSink answers', () => {
    const RECORDS: readonly JsonObject[] = [{ id: 'a' }, { id: 'b' }];

    /** A target that takes what has a name of less than ten characters, and a sink that leads to it. */
    function standing(change: Partial<SinkSession> = {}, more: Partial<Sink> = {}) {
        let requests = 0;
        let isDown = false;
        const gone: unknown[] = [];
        const request = (): void => {
            requests++;
            if (isDown) throw flowError('REMOTE_BUSY', { host: 'shelf', problem: 'is down', attempts: 1 });
        };
        const sink = defineSink({
            code: 'shelf',
            category: 'Own',
            title: 'Shelf',
            summary: 'Puts records on a shelf.',
            config: z.strictObject({ ...sinkFields }),
            examples: [
                { config: {}, in: [{ id: 'a' }, { id: 'b', __operation: 'DELETE' }], does: ['deliver', 'remove'] },
            ],
            open: async () => ({
                async deliver(batch) {
                    request();
                    return batch.map(({ data: { id } }) =>
                        id === 'no' ? { ok: false, error: recordInvalid('id', 'is no') } : { ok: true },
                    );
                },
                async remove(identities) {
                    request();
                    gone.push(...identities);
                    return identities.map(() => ({ ok: true }));
                },
                ...change,
            }),
        });
        const stand: SinkStand = {
            config: {},
            records: RECORDS,
            refused: [{ id: 'no' }],
            requests: () => requests,
            deleted: () => gone,
            breakDown: down => {
                isDown = down;
            },
        };
        return { sink: { ...sink, ...more }, stand, request };
    }
    const good = standing();

    it.each(sinkContract(good.sink, good.stand).map(({ name, run }) => [name, run] as const))(
        'a sink %s',
        (_name, run) => run(),
    );

    const failed = ({ sink, stand }: ReturnType<typeof standing>): Promise<string[]> =>
        failing(sinkContract(sink, stand));

    it('finds words that are missing, and examples that are not true', async () => {
        const config = z.strictObject({ url: z.string().optional() });
        const examples = [{ config: {}, in: [{ id: 'a' }], does: ['reject' as const], rejects: ['id'] }];
        expect(await failed(standing({}, { summary: 'no sentence', config, examples } as never))).toEqual([
            expect.stringContaining('camelCase code'),
            expect.stringMatching(/every field/),
            expect.stringContaining('example 1'),
        ]);
    });

    it('finds what is sent while it is opened', async () => {
        const one = standing();
        const sink: Sink = {
            ...one.sink,
            open: (config, cx) => {
                one.request();
                return one.sink.open(config, cx);
            },
        };
        expect(await failing(sinkContract(sink, one.stand))).toEqual([expect.stringContaining('sends nothing')]);
    });

    it('finds an outage that passes for success or for a fault of the records, and ids that are spoilt', async () => {
        const success = async (batch: readonly unknown[]): Promise<Outcome[]> => batch.map(() => ({ ok: true }));
        expect(await failed(standing({ deliver: success }))).toEqual([
            expect.stringMatching(/them again/),
            expect.stringContaining('has delivered'),
            expect.stringContaining('were refused'),
        ]);
        const one = standing();
        const blaming: Partial<SinkSession> = {
            deliver: async batch => {
                try {
                    one.request();
                } catch {
                    return batch.map(() => ({ ok: false, error: recordInvalid('id', 'was not taken') }));
                }
                return batch.map(({ data: { id } }) =>
                    id === 'no' ? { ok: false, error: recordInvalid('id', 'is no') } : { ok: true },
                );
            },
        };
        const blamed: Sink = {
            ...one.sink,
            open: async (config, cx) => ({ ...(await one.sink.open(config, cx)), ...blaming }),
        };
        expect(await failing(sinkContract(blamed, one.stand))).toEqual([expect.stringContaining('has delivered')]);
        const spoilt = standing();
        const numbers: Sink = {
            ...spoilt.sink,
            open: async (config, cx) => {
                const session = await spoilt.sink.open(config, cx);
                return {
                    ...session,
                    remove: (all, ids, batch) =>
                        session.remove!(
                            all.map(id => String(Number(id) || id)),
                            ids,
                            batch,
                        ),
                };
            },
        };
        expect(await failing(sinkContract(numbers, spoilt.stand))).toEqual([expect.stringMatching(/^removes/)]);
    });
});
