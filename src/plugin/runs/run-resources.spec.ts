import { connections } from '../../adapters';
import { Redactor } from '../../core/adapter/redactor';
import { Registry } from '../../core/adapter/registry';
import { Secret } from '../../core/adapter/secret';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import type { Connections } from '../connections/connections';
import { RunResources } from './run-resources';
import type { Secrets } from '../secrets/secrets';

const told = (connectionCode: string) => ({ type: 'WEBHOOK', connectionCode, path: 'x' });
const definition = {
    steps: [],
    hooks: { RUN_COMPLETED: ['gone', 'closed', 'open'].map(told) },
} as unknown as PipelineDefinition;

/** Knows two connections, and the secret of one. */
function resources(rejection: FlowError): RunResources {
    const open = (_channelId: unknown, code: string) =>
        code === 'gone'
            ? Promise.reject(flowError('CONNECTION_NOT_FOUND', { which: code, hint: '' }))
            : Promise.resolve({
                  code,
                  type: 'REST',
                  settings: { baseUrl: 'http://a', auth: { type: 'BEARER', secretCode: `of-${code}` } },
              });
    const secret = (_channelId: unknown, code: string): Promise<Secret> =>
        code === 'of-closed' ? Promise.reject(rejection) : Promise.resolve(new Secret(code, 'a-password'));
    return new RunResources(
        { open } as unknown as Connections,
        { open: secret } as unknown as Secrets,
        new ProcessTaskQueue(),
        { registry: Registry.of(connections) } as unknown as FlowSetup,
    );
}

describe('the secrets of a run that has ended', () => {
    it('are learnt where they can be read, whatever keeps others from being so', async () => {
        const redactor = new Redactor();
        const problems = await resources(flowError('SECRET_NOT_FOUND', { which: 'of-closed', hint: '' })).teach(
            1,
            definition,
            redactor,
        );
        expect(problems.map(({ code }) => code)).toEqual(['CONNECTION_NOT_FOUND', 'SECRET_NOT_FOUND']);
        expect(redactor.text('it is a-password')).toBe('it is [secret]');
    });

    it('are read again if the database does not answer', async () => {
        const learning = resources(flowError('DATABASE_LOST', { problem: 'test' })).teach(
            1,
            definition,
            new Redactor(),
        );
        await expect(learning).rejects.toMatchObject({ code: 'DATABASE_LOST' });
    });
});
