import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import type { OutboundHttp } from '../../core/adapter/http';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { fakeOutbound } from '../../testing/fake-outbound';
import { httpLookup } from './http-lookup';

describe('a look-up that fails', () => {
    it.each<[string, FlowError]>([
        ['answers 503', flowError('REMOTE_BUSY', { host: 'erp.example', problem: 'answered 503', attempts: 3 })],
        [
            'rejects connections',
            flowError('REMOTE_BUSY', { host: 'erp.example', problem: 'rejects connections', attempts: 3 }),
        ],
        [
            'cuts the connection',
            flowError('REMOTE_BUSY', { host: 'erp.example', problem: 'broke the connection off', attempts: 3 }),
        ],
        [
            'does not answer in time',
            flowError('OUTBOUND_TIMEOUT', { host: 'erp.example', what: 'did not answer', timeoutMs: 5, attempts: 3 }),
        ],
    ])('gives the default without failOnError where the server %s once its retries are spent', async (_, error) => {
        const send: OutboundHttp['send'] = async ({ url }) => {
            if (url.endsWith('/2')) throw error;
            return { status: 200, headers: {}, body: Buffer.from('known') };
        };
        const args = { url: 'https://erp.example/{{id}}', target: 't', default: 'unknown', cacheTtlSec: 0 };
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                read: ['EXTRACT', pages(ids(4))],
                ask: ['TRANSFORM', { operators: [{ op: 'httpLookup', args }] }],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > ask > write'],
        });
        const { end, state } = await runPipeline(definition, {
            adapters: [httpLookup],
            outbound: { ...fakeOutbound({ http: send }), scope: 'look-ups' },
        });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect([...state.shop.values()].map(({ t }) => t).sort()).toEqual(['known', 'known', 'known', 'unknown']);
        expect(state.rejects.size).toBe(0);
    });

    it('fails the run if the secret may not be sent to the server, without failOnError as well', async () => {
        const send: OutboundHttp['send'] = async () => {
            throw flowError('SECRET_HOST_NOT_ALLOWED', { code: 'erp-token', host: 'erp.example', hint: '' });
        };
        const args = { url: 'https://erp.example/{{id}}', target: 't', default: 'unknown', cacheTtlSec: 0 };
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                read: ['EXTRACT', pages(ids(4))],
                ask: ['TRANSFORM', { operators: [{ op: 'httpLookup', args }] }],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > ask > write'],
        });
        const { end, state } = await runPipeline(definition, {
            adapters: [httpLookup],
            outbound: { ...fakeOutbound({ http: send }), scope: 'refused' },
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'SECRET_HOST_NOT_ALLOWED' } });
        expect([state.shop.size, state.rejects.size]).toEqual([0, 0]);
    });

    it('ends the run at its position, with nothing rejected, once the retries of errorHandling are spent, with failOnError', async () => {
        const failOnError = true;
        const sent: string[] = [];
        let isBusy = true;
        const send: OutboundHttp['send'] = async ({ url }) => {
            sent.push(url.slice(-1));
            if (isBusy && url.endsWith('/2'))
                throw flowError('REMOTE_BUSY', { host: 'erp.example', problem: 'answered 503', attempts: 3 });
            return { status: 200, headers: {}, body: Buffer.from('"known"') };
        };
        const call = { op: 'httpLookup', args: { url: 'https://erp.example/{{id}}', target: 't', failOnError } };
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                read: ['EXTRACT', pages(ids(4))],
                ask: ['TRANSFORM', { operators: [call] }],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > ask > write'],
            throughput: { batchSize: 1 },
            errorHandling: { maxRetries: 2 },
        });
        const state = new MemoryState();
        const perform = () =>
            runPipeline(definition, {
                state,
                adapters: [httpLookup],
                outbound: { ...fakeOutbound({ http: send }), scope: 'look-ups' },
            });
        expect((await perform()).end).toMatchObject({
            end: 'stopped',
            stepKey: 'ask',
            error: { code: 'REMOTE_BUSY' },
        });
        expect(sent).toEqual(['0', '1', '2', '2', '2']);
        expect([state.rejects.size, state.positions['read']!.batchNo, state.shop.size]).toEqual([0, 2, 2]);
        isBusy = false;
        expect((await perform()).end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect([sent.slice(5), state.shop.size]).toEqual([['2', '3'], 4]);
    });
});
