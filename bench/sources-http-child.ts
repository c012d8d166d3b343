import { request } from 'undici';
import { httpApi } from '../src/adapters/extractors/http-api';
import { OutboundGateway } from '../src/io/outbound/gateway';
import { setUp } from '../src/plugin/setup';
import { extractedPages } from '../src/testing/bare-extract';
import { providedResources } from '../src/testing/provided-resources';
import { tellReading } from './source-reading';
import type { HttpOrder } from './sources-http';

const resources = providedResources({ registry: setUp({}).registry });
type Pages = AsyncGenerator<readonly object[], void, void>;

/** Reads as a step does. */
async function* byFlow({ url, limit }: HttpOrder): Pages {
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] }).forRun({
        scope: 'bench',
        rateLimitRps: 0,
    });
    const config = { url, dataPath: 'data', pagination: { type: 'PAGE', limit } };
    for await (const { records } of extractedPages({ extractor: httpApi, config }, { ...resources, outbound: gateway }))
        yield records;
}

async function* byUndici({ url, limit }: HttpOrder): Pages {
    for (let page = 1; ; page++) {
        const { body } = await request(`${url}?page=${page}&limit=${limit}`);
        const { data } = JSON.parse(await body.text()) as { readonly data: readonly object[] };
        if (data.length === 0) return;
        yield data;
    }
}

const order = JSON.parse(process.argv[2]!) as HttpOrder;
tellReading(order.way === 'httpApi' ? byFlow(order) : byUndici(order), order.records);
