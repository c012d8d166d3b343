import type { Loader, RemoteSession, ServiceSession, TableSession } from '../adapter/loader';
import type { AdapterContext } from '../adapter/context';
import type { Batch } from '../data/record';
import type { Memo } from '../progress/memos';
import { remoteLoading, serviceLoading } from './load-records';
import { LoadRemarks, REMARK_KEYS } from './load-remarks';
import { tableLoading } from './load-tables';
import { assertKnownEffects, judged, type LoadCall, type Loaded, type Loading, notesOf, settled } from './loading';
import { rejecter, type Step } from './step';

/** A loader and its parsed configuration. A run that is not live says what it would write (architecture, decision 5). */
export function loadStep(key: string, loader: Loader, config: Readonly<Record<string, unknown>>): Step {
    return {
        key,
        open: async ({ ports, adapter, atEnd, cameBefore, runId }) => {
            assertKnownEffects(loader.effects ?? [], { stepKey: key, allowed: ports.loads.effectKinds });
            const { session, loading } = await opened(loader, config, adapter);
            const fields = loader.fields?.(config);
            const earlier = cameBefore > 0 ? await ports.memory.recall(key, REMARK_KEYS, 'run') : undefined;
            const remarks = new LoadRemarks({ code: loader.code, fields }, earlier);
            atEnd(() => remarks.log(adapter.log));
            const work = adapter.mode === 'live' ? loading.commit : (call: LoadCall) => dryRunOf(loading, call);
            return async (batch, visit) => {
                const { sourceKey, batchNo, number } = visit;
                const place = { stepKey: key, sourceKey, batchNo, visit: number };
                const { result, notes } = await work({ batch, visit, key: place, ports, runId });
                // A batch that comes again was not committed, and with it what was to be remembered of it.
                const news = remarks.take(batch, session.trimmed?.(batch), notes);
                return { ...result, memos: Array.from(news, ([name, value]) => memoOf(batch, key, { name, value })) };
            };
        },
    };
}

type Session = TableSession | ServiceSession | RemoteSession;

async function opened(
    loader: Loader,
    config: Readonly<Record<string, unknown>>,
    adapter: AdapterContext,
): Promise<{ readonly session: Session; readonly loading: Loading }> {
    switch (loader.through) {
        case 'tables': {
            const session = await loader.open(config, adapter);
            return { session, loading: tableLoading(session) };
        }
        case 'services': {
            const session = await loader.open(config, adapter);
            return { session, loading: serviceLoading(session) };
        }
        case 'remote': {
            const session = await loader.open(config, adapter);
            return { session, loading: remoteLoading(session) };
        }
    }
}

/** Dry run and preview: counted as if it had been written. */
async function dryRunOf(loading: Loading, call: LoadCall): Promise<Loaded> {
    const { batch, visit, key, ports } = call;
    const { stepKey, ...at } = key;
    const changes = await loading.dryRun(call);
    changes.forEach((change, place) => {
        if (change.action === 'unchanged' || change.action === 'reject') return;
        const { seq } = batch[place]!.origin;
        ports.journal.emit({ type: 'change.planned', stepKey, seq, at: { ...at, place }, change });
    });
    // The plans of a large run must not pile up in memory.
    await ports.journal.flush();
    const { verdicts, rejects } = judged(changes, rejecter(stepKey, batch, visit));
    return { result: settled(batch, verdicts, rejects), notes: notesOf(changes) };
}

function memoOf(
    batch: Batch,
    stepKey: string,
    { name, value }: { readonly name: string; readonly value: Memo['value'] },
): Memo {
    const { origin } = batch[0]!;
    return { origin, stepKey, key: name, value, scope: 'run', outlivesFailure: true, isReported: true };
}
