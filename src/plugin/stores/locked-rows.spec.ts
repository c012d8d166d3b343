import type { TransactionOptions } from '../../database/database';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { lockTimeout } from '../../database/database-errors';
import { RunLeases } from './leases';
import { Loads } from './loads';
import { RunTransitions } from './run-transitions';
import type { StoreEnv } from './store-env';

const identity = { runId: 1, pipelineId: 1, channelId: 1, token: 't', takeovers: 0, isTakeover: false };

/** A database that answers each transaction with the next of these results, and records the options. */
function envOf(...answers: ReadonlyArray<unknown>) {
    const requested: TransactionOptions[] = [];
    const left = [...answers];
    const database = {
        transaction: (_: unknown, options: TransactionOptions) => {
            requested.push(options);
            const answer = left.shift();
            return isFlowError(answer) ? Promise.reject(answer) : Promise.resolve(answer);
        },
    };
    return { env: { database, tables: {} } as unknown as StoreEnv, asked: requested };
}

describe('rows that another transaction has locked', () => {
    it('are waited for by a load until its run is to stop', async () => {
        const { env, asked: requested } = envOf({ marker: { digest: 'd', verdicts: 'C' } });
        const { signal } = new AbortController();
        const journal = { emit: () => undefined, flush: () => Promise.resolve() };
        const key = { stepKey: 'out', sourceKey: 'in', batchNo: 1, visit: 1 };
        const unit = { key, digest: () => 'd', locks: ['sku:1'], work: () => undefined };
        await new Loads(env, { ...identity, dryRun: false }, { journal, signal } as never).commit(unit as never);
        expect(requested).toEqual([{ locks: ['sku:1'], repeatedUntil: signal, goesAhead: true, byKeys: true }]);
    });

    it('are not waited for long by those who hold what everybody needs', async () => {
        const { env, asked: requested } = envOf({ run: undefined, because: 'gone' }, true);
        await new RunLeases(env, 30_000).claim(1);
        await new RunTransitions(env).finish(identity, { status: 'CANCELLED' });
        expect(requested).toMatchObject([{ brief: true }, { brief: true }]);
    });

    it('do not prevent cancelling: if a run cannot be ended, its worker or the next one receives the request', async () => {
        const { env, asked: requested } = envOf(lockTimeout('held'), 'REQUESTED');
        expect(await new RunTransitions(env).cancel(1)).toBe('REQUESTED');
        expect(requested).toMatchObject([{ brief: true }, { brief: true }]);
        const gone = envOf(flowError('RUN_NOT_FOUND', {}));
        await expect(new RunTransitions(gone.env).cancel(1)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    });
});
