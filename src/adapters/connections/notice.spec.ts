import type { Connection } from '../../core/adapter/connection';
import type { OutboundHttp } from '../../core/adapter/http';
import { noResources } from '../../core/adapter/no-resources';
import { sftp } from './ftp';
import { graphql, http, rest } from './http';

const connection = (settings: Connection['settings']): Connection => ({
    code: 'erp',
    type: 'HTTP',
    settings: { auth: { type: 'NONE' }, headers: { 'x-shop': 'one' }, timeoutMs: 1_000, ...settings },
});
const notice = {
    path: '/told',
    id: '17/RUN_COMPLETED/1',
    body: { stage: 'RUN_COMPLETED', stepKey: undefined, records: [{ id: 1 }] },
    timeoutMs: 5_000,
};

async function told(settings: Connection['settings']): Promise<Parameters<OutboundHttp['send']>[0][]> {
    const sent: Parameters<OutboundHttp['send']>[0][] = [];
    const send: OutboundHttp['send'] = async request => {
        sent.push(request);
        return { status: 200, headers: {}, body: new Uint8Array() } as never;
    };
    await http.notify!(connection(settings), notice, {
        http: { send },
        secrets: noResources.secrets,
        signal: new AbortController().signal,
    });
    return sent;
}

describe('a notice', () => {
    it("is one POST of JSON to the connection's origin, which can be known again", async () => {
        const [request, ...more] = await told({ baseUrl: 'https://erp.example/api/' });
        expect(more).toEqual([]);
        expect(request).toMatchObject({
            method: 'POST',
            url: 'https://erp.example/api/told',
            originLock: 'https://erp.example',
            timeoutMs: 1_000,
            isRepeatable: true,
            headers: { 'x-shop': 'one', 'content-type': 'application/json', 'x-flow-id': '17/RUN_COMPLETED/1' },
            body: '{"stage":"RUN_COMPLETED","records":[{"id":1}]}',
        });
    });

    it('needs a base URL to go to', async () => {
        await expect(told({})).rejects.toMatchObject({
            code: 'CONNECTION_INVALID',
            message: expect.stringContaining('"/told"'),
        });
    });

    it('is for the types alone that WEBHOOK hooks may name', () => {
        expect([http, rest, graphql, sftp].map(({ notify }) => notify !== undefined)).toEqual([
            true,
            true,
            true,
            false,
        ]);
    });
});
