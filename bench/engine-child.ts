import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A service that accepts everything. Its responses are as short as those of real services can be, so that the bench
 * measures the clients.
 */
function answer(url: string, body: string): readonly [type: string, text: string] {
    const json = 'application/json';
    if (url.includes('/import')) {
        const count = body === '' ? 0 : body.split('\n').length;
        return ['text/plain', Array.from({ length: count }, () => '{"success":true}').join('\n')];
    }
    if (url.startsWith('/_bulk')) {
        const count = body.split('\n').length >> 1;
        const items = Array.from({ length: count }, () => '{"index":{"status":201}}').join(',');
        return [json, `{"took":1,"errors":false,"items":[${items}]}`];
    }
    if (url.startsWith('/tasks?')) return [json, '{"results":[],"total":0}'];
    if (url.startsWith('/tasks/')) return [json, '{"uid":1,"status":"succeeded","error":null}'];
    if (url.includes('/task/')) return [json, '{"status":"published"}'];
    if (url.startsWith('/indexes')) return [json, '{"taskUid":1,"status":"enqueued"}'];
    if (url.includes('/batch')) return [json, '{"taskID":1,"objectIDs":[]}'];
    return [json, '{}'];
}

const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
            const [type, text] = answer(request.url!, Buffer.concat(chunks).toString());
            response.writeHead(200, { 'content-type': type, 'x-elastic-product': 'Elasticsearch' }).end(text);
        });
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
