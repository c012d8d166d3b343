import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createReadStream, type ReadStream } from 'node:fs';
import { pipeline as piped } from 'node:stream/promises';
import type { AssetPreviewStrategy, AssetStorageStrategy } from '@vendure/core';
import sharp from 'sharp';
import { type BuiltinCatalogue, createPipelineBuilder, type PipelineSource } from '../src';
import { peakRssMb } from './peak';
import { type benchExtractor } from './pipelines';
import { run, untilIdle } from './runs';
import { type BenchDatabase, openShop } from './shop';

const USUAL_PRODUCTS = 2_000;
const OF_EACH = 3;
const BATCH = 100;
/** How long a server takes to respond. With 0, parallel downloads would gain nothing. */
const ANSWER_MS = 20;
const CODE = 'bench-pictures';

/**
 * Imports products with three pictures each from a local server, and then the same again. Measures what is fetched, how
 * many at once, how long it takes, and how much memory it needs.
 */
export async function benchPictures(database: BenchDatabase, products = USUAL_PRODUCTS): Promise<void> {
    const pictures = await PictureServer.start();
    const folder = mkdtempSync(path.join(tmpdir(), 'flow-bench-pictures-'));
    const shop = await openShop(
        database,
        { pipelines: [withPictures(products, pictures.port)], security: { allowedHostnames: ['127.0.0.1'] } },
        { assets: { assetStorageStrategy: new FolderStorage(folder), assetPreviewStrategy: new SmallPreviews() } },
    );
    try {
        await shop.queues.start();
        await untilIdle(shop.app);
        const before = peakRssMb();
        console.log(`${products} products with ${OF_EACH} pictures of ${(pictures.size / 1024).toFixed(0)} KiB each`);
        for (const title of ['first run', 'same again']) {
            pictures.begin();
            const seconds = await run(shop.app, CODE);
            const { fetched, asked: requested, atOnce } = pictures.counts;
            console.log(
                `${title}: ${seconds.toFixed(1)} s, ${fetched} fetched, ${requested} checked for changes, at most ${atOnce} at once, ` +
                    `${((fetched + requested) / seconds).toFixed(0)} requests/s, peak RSS ${peakRssMb().toFixed(0)} MB (${before.toFixed(0)} MB before)`,
            );
            await untilIdle(shop.app);
        }
    } finally {
        await shop.close();
        pictures.close();
        rmSync(folder, { recursive: true, force: true });
    }
}

const builder = createPipelineBuilder<
    Omit<BuiltinCatalogue, 'extractors'> & { readonly extractors: readonly [typeof benchExtractor] }
>();

function withPictures(products: number, port: number): PipelineSource {
    const addresses = `[1, 2, 3].map(n => '/' + record.sku + '-' + n + '.jpg')`;
    return builder(CODE)
        .trigger('start', { type: 'MANUAL' })
        .extract('rows', { adapterCode: 'benchProducts', series: 'PIC', count: products, isChange: false })
        .transform('shape', [
            { op: 'toCents', args: { source: 'price', target: 'price' } },
            { op: 'toNumber', args: { source: 'stock' } },
            { op: 'remove', args: { path: 'facets' } },
            { op: 'script', args: { code: `record.assets = ${addresses}; return record;` } },
        ])
        .load('catalogue', { adapterCode: 'productUpsert', pictureBaseUrl: `http://127.0.0.1:${port}/` })
        .throughput({ batchSize: BATCH, rateLimitRps: 1_000 })
        .build();
}

/**
 * Serves a different photograph for each address: the same one with the address appended after its end, which no reader
 * looks at.
 */
class PictureServer {
    counts = { fetched: 0, asked: 0, atOnce: 0 };

    private constructor(
        private readonly server: Server,
        private readonly photograph: Buffer,
    ) {}

    static async start(): Promise<PictureServer> {
        const [width, height] = [800, 600];
        const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
        const photograph = await sharp({ create: { width, height, channels: 3, background: '#888', noise } })
            .jpeg({ quality: 80 })
            .toBuffer();
        const server = createServer();
        const pictures = new PictureServer(server, photograph);
        pictures.serve();
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        return pictures;
    }

    get port(): number {
        return (this.server.address() as AddressInfo).port;
    }

    get size(): number {
        return this.photograph.length;
    }

    begin(): void {
        this.counts = { fetched: 0, asked: 0, atOnce: 0 };
    }

    close(): void {
        this.server.closeAllConnections();
        this.server.close();
    }

    private serve(): void {
        let underWay = 0;
        this.server.on('request', (request, response) => {
            const { url = '', headers } = request;
            const etag = `"${url}"`;
            this.counts.atOnce = Math.max(this.counts.atOnce, ++underWay);
            response.on('close', () => underWay--);
            setTimeout(() => {
                const isKnown = headers['if-none-match'] === etag;
                this.counts[isKnown ? 'asked' : 'fetched']++;
                response.writeHead(isKnown ? 304 : 200, { 'content-type': 'image/jpeg', etag });
                if (!isKnown) {
                    response.write(this.photograph);
                    response.write(url);
                }
                response.end();
            }, ANSWER_MS);
        });
    }
}

/** Stores assets as files of a folder. */
export class FolderStorage implements AssetStorageStrategy {
    constructor(private readonly folder: string) {}

    private at(name: string): string {
        return path.join(this.folder, path.basename(name));
    }
    async writeFileFromBuffer(name: string, data: Buffer): Promise<string> {
        await writeFile(this.at(name), data);
        return name;
    }
    async writeFileFromStream(name: string, data: ReadStream): Promise<string> {
        await piped(data, createWriteStream(this.at(name)));
        return name;
    }
    readFileToBuffer(name: string): Promise<Buffer> {
        return readFile(this.at(name));
    }
    readFileToStream(name: string): Promise<ReadStream> {
        return Promise.resolve(createReadStream(this.at(name)));
    }
    deleteFile(name: string): Promise<void> {
        return rm(this.at(name), { force: true });
    }
    fileExists(name: string): Promise<boolean> {
        return Promise.resolve(existsSync(this.at(name)));
    }
}

/** Previews of the size that Vendure's own plugin makes. */
export class SmallPreviews implements AssetPreviewStrategy {
    generatePreviewImage(_ctx: unknown, _mimeType: string, data: Buffer): Promise<Buffer> {
        return sharp(data).resize({ width: 1_600, height: 1_600, fit: 'inside', withoutEnlargement: true }).toBuffer();
    }
}
