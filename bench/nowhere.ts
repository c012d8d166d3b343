import type { RunPorts } from '../src/core/ports/ports';
import { START } from '../src/core/steps/extract';

const noLoads = (): Promise<never> => Promise.reject(new Error('There is no load step.'));

/** Ports that store nothing, so that only the executor is measured. */
export const nowhere: RunPorts = {
    positions: {
        load: async () => ({ positions: {}, counters: {}, rejectedBefore: 0 }),
        commit: async () => undefined,
        restoreCheckpoint: async () => ({ position: START, isLeft: false, rejectedBefore: 0 }),
        isLeft: async () => false,
    },
    actions: { actions: async () => [], pending: async () => [], done: async () => undefined },
    memory: { keys: async () => [], recall: async () => new Map() },
    spool: { next: async () => undefined, held: async () => new Map() },
    rejects: { addAll: async () => undefined },
    loads: {
        effectKinds: [],
        commit: noLoads,
        storedVerdicts: noLoads,
        isBegun: noLoads,
        settle: noLoads,
        serve: noLoads,
        read: noLoads,
    },
    journal: { emit: () => undefined, flush: async () => undefined },
    progress: () => undefined,
};
