import { nextToDo, type PipelineState } from './next-to-do';

const sound: PipelineState = {
    enabled: true,
    archived: false,
    status: 'DRAFT',
    hasChanges: false,
    revision: {},
    openErrors: 0,
    lastRun: { status: 'COMPLETED', outcome: 'SUCCESS' },
};

describe('what is next to do about a pipeline', () => {
    it.each<[string, Partial<PipelineState>, ReturnType<typeof nextToDo>]>([
        ['that works', {}, undefined],
        ['that never ran', { lastRun: null }, 'run'],
        ['that is archived', { archived: true, revision: null }, 'restore'],
        ['that waits for its review', { status: 'REVIEW', revision: null }, 'review'],
        ['that was never published', { revision: null, lastRun: null }, 'publish'],
        ['whose last run failed', { lastRun: { status: 'FAILED', outcome: null }, hasChanges: true }, 'failure'],
        ['that waits at a gate', { lastRun: { status: 'PAUSED', outcome: null } }, 'approval'],
        ['with rejects', { openErrors: 3 }, 'rejects'],
        ['with changes', { hasChanges: true, enabled: false }, 'changes'],
        ['that is off', { enabled: false }, 'enable'],
    ])('%s', (_title, differs, expected) => expect(nextToDo({ ...sound, ...differs })).toBe(expected));
});
