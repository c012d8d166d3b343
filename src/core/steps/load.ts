import { type Delivered, type Loader, loaderFor } from '../adapter/loader';
import type { AdapterContext } from '../adapter/context';
import type { Missing } from '../adapter/missing';
import { serviceLoading } from './load-records';
import { remoteLoading } from './load-remote';
import { tableLoading } from './load-tables';
import type { ReconciledTarget } from './step-reconciler';
import type { Step } from './step';
import { type OpenTarget, targetStep } from './target';

/** A loader and its parsed configuration. */
export function loadStep(key: string, declared: Loader, config: Readonly<Record<string, unknown>>): Step {
    const loader = loaderFor(declared, config);
    return targetStep(key, {
        code: loader.code,
        fields: loader.fields?.(config),
        effects: loader.effects ?? [],
        isRemote: loader.through === 'remote',
        missing: missingOf(loader, config),
        open: ({ adapter }) => opened(loader, config, adapter),
    });
}

async function opened(
    loader: Loader,
    config: Readonly<Record<string, unknown>>,
    adapter: AdapterContext,
): Promise<OpenTarget> {
    switch (loader.through) {
        case 'tables': {
            const session = await loader.open(config, adapter);
            const keepsHistory = config['history'] === true;
            return {
                loading: tableLoading(session, keepsHistory),
                trimmed: batch => session.trimmed?.(batch),
                ...(session.memory && { memory: session.memory }),
            };
        }
        case 'services': {
            const session = await loader.open(config, adapter);
            return { loading: serviceLoading(session), trimmed: batch => session.trimmed?.(batch) };
        }
        case 'remote': {
            const session = await loader.open(config, adapter);
            return {
                loading: remoteLoading(session, adapter.signal),
                trimmed: batch => session.trimmed?.(batch),
                ...(session.finish && { finish: (all: Delivered) => session.finish!(all) }),
            };
        }
    }
}

/** Missing entities are loaded by the loader itself, which must not create any. */
function missingOf(loader: Loader, config: Readonly<Record<string, unknown>>): ReconciledTarget | undefined {
    const { missing } = loader;
    const rule = config['missing'] as Missing | undefined;
    if (!missing || !rule || rule.action === 'NONE') return undefined;
    const { action } = rule;
    return {
        rule: { ...rule, action },
        keyOf:
            ({ adapter }) =>
            data =>
                missing.keyOf(config, data, adapter),
        ...(rule.scope === 'FILTER' && { listed: ({ adapter }) => missing.listed!(config, action, adapter) }),
        ...(missing.found && { found: ({ adapter }) => missing.found!(config, adapter) }),
        open: async ({ adapter }) => {
            const { loading } = await opened(loader, { ...config, strategy: 'UPDATE', allowDeletes: true }, adapter);
            return { loading, recordsOf: await missing.records(config, action, adapter) };
        },
    };
}
