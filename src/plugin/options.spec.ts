import { z } from 'zod';
import { recordOperator } from '../core/adapter/operator';
import { isFlowError } from '../core/errors/flow-error';
import type { PipelineSource } from '../core/pipeline/definition';
import { type FlowPluginOptions, parseOptions } from './options';

const source = (code: string): PipelineSource => ({
    code, name: code, description: '', enabled: true, definition: { version: 1, steps: [], edges: [] },
});

function refusal(options: unknown): string {
    try {
        parseOptions(options as FlowPluginOptions);
    } catch (error) {
        if (isFlowError(error)) return `${error.code}: ${error.message}`;
        throw error;
    }
    return 'accepted';
}

describe('the options of FlowPlugin.init', () => {
    it('has a default for everything', () => {
        expect(parseOptions({})).toEqual({
            pipelines: [], adapters: [], registerBuiltinAdapters: true,
            logging: { level: 'INFO', logQueries: false, logSteps: false },
            runtime: { leaseMs: 30_000, heartbeatMs: 10_000, sweepMs: 15_000, sliceMs: 60_000 },
        });
    });

    it('lets single logging options win over debug', () => {
        expect(parseOptions({ debug: true, logging: { logQueries: false } }).logging)
            .toEqual({ level: 'DEBUG', logQueries: false, logSteps: true });
    });

    it('renews a short lease in time', () => {
        expect(parseOptions({ runtime: { leaseMs: 3000 } }).runtime.heartbeatMs).toBe(1000);
    });

    it.each([
        ['an unknown option', { pipeline: [] }, 'pipeline is an unknown field; known: pipelines, adapters'],
        ['an unknown runtime option', { runtime: { leaseSec: 3 } }, 'runtime.leaseSec is an unknown field; known: leaseMs'],
        ['a value out of range', { runtime: { leaseMs: 5 } }, 'runtime.leaseMs is 5; allowed: 1000 to 600000'],
        ['a heartbeat that comes too late', { runtime: { leaseMs: 2000, heartbeatMs: 1500 } }, 'runtime.heartbeatMs is 1500; allowed: at most half of runtime.leaseMs, 1000'],
        ['an unknown log level', { logging: { level: 'LOUD' } }, 'logging.level is "LOUD"; allowed: "DEBUG", "INFO", "WARN", "ERROR"'],
        ['a pipeline code that is no slug', { pipelines: [source('Two Words')] }, 'pipelines.0.code is "Two Words"'],
        ['a pipeline code that comes twice', { pipelines: [source('a'), source('a')] }, 'the code "a" comes twice'],
        ['an adapter that is none', { adapters: [{ code: 'mine' }] }, 'adapters.0 is an object; allowed: what defineExtractor'],
    ])('refuses %s and names what is allowed', (_, options, text) => {
        const message = refusal(options);
        expect(message).toContain('OPTION_INVALID: FlowPlugin option');
        expect(message).toContain(text);
    });

    it('tells all faults at once', () => {
        const message = refusal({ debug: 'yes', runtime: { sweepMs: 1 } });
        expect(message).toContain('debug is "yes"');
        expect(message).toContain('runtime.sweepMs is 1');
    });

    it('keeps adapters as they were given', () => {
        const shout = recordOperator({
            code: 'shout', title: 'Shout', summary: 'Shouts.', config: z.strictObject({}), examples: [], compile: () => data => data,
        });
        expect(parseOptions({ adapters: [shout] }).adapters[0]).toBe(shout);
    });
});
