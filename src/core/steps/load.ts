import type { Loader } from '../adapter/loader';
import type { AdapterContext } from '../adapter/context';
import { serviceLoading } from './load-records';
import { remoteLoading } from './load-remote';
import { tableLoading } from './load-tables';
import type { Step } from './step';
import { type OpenTarget, targetStep } from './target';

/** A loader and its parsed configuration. */
export function loadStep(key: string, loader: Loader, config: Readonly<Record<string, unknown>>): Step {
    return targetStep(key, {
        code: loader.code,
        fields: loader.fields?.(config),
        effects: loader.effects ?? [],
        isRemote: loader.through === 'remote',
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
            return { loading: tableLoading(session), trimmed: batch => session.trimmed?.(batch) };
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
                ...(session.finish && { finish: () => session.finish!() }),
            };
        }
    }
}
