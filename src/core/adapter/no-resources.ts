import { flowError } from '../errors/flow-error';
import { show } from '../value/show';
import type { Resources } from './context';

const nowhere = (): Promise<never> =>
    Promise.reject(flowError('BUG', { problem: 'an export was begun where nothing is exported' }));

/** For a run whose definition refers to nothing, and for tests: every code is unknown. */
export const noResources: Resources = {
    secrets: {
        get: code => {
            throw flowError('SECRET_NOT_FOUND', {
                which: show(code),
                hint: 'The step does not name it in its configuration.',
            });
        },
    },
    connections: {
        get: code => {
            throw flowError('CONNECTION_NOT_FOUND', {
                which: show(code),
                hint: 'The step does not name it in its configuration.',
            });
        },
    },
    files: { find: async () => undefined },
    exports: { put: nowhere, parts: nowhere, draft: nowhere, clear: nowhere },
};
