import { CreateBucketCommand, ListMultipartUploadsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ObjectStorage } from '../../src/io/storage/object-storage';
import { blobsContract, codeOf, inPieces, newKey, whole } from '../kit/blobs-contract';
import { freePort, launch, scratchFolder } from '../servers/process';

const BUCKET = 'flow-files';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const { signal } = new AbortController();

describe('objects of a bucket', () => {
    let server: { stop(): Promise<void> } | undefined;
    let client: S3Client;
    let endpoint: string;

    beforeAll(async () => {
        const port = await freePort();
        endpoint = `http://127.0.0.1:${port}`;
        client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
        const ready = async (): Promise<void> => {
            await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
        };
        // A separate program: the package is ESM only, which the tests cannot import.
        const command = { command: process.execPath, args: [join(__dirname, '../../node_modules/fauxqs/dist/cli.js')] };
        server = await launch(
            {
                ...command,
                folder: scratchFolder(),
                env: { FAUXQS_PORT: String(port), FAUXQS_HOST: '127.0.0.1', FAUXQS_LOGGER: 'false' },
            },
            ready,
        );
    });
    afterAll(async () => {
        client?.destroy();
        await server?.stop();
    });

    const storage = (prefix?: string, bucket = BUCKET): ObjectStorage =>
        new ObjectStorage({
            bucket,
            endpoint,
            forcePathStyle: true,
            credentials,
            ...(prefix !== undefined && { prefix }),
        });

    describe('fulfil the contract', () => blobsContract(() => storage('shop/flow/')));

    it('have keys below "flow-files/" if no prefix is set, apart from the other objects of the bucket', async () => {
        const [mine, foreign] = [newKey(), newKey()];
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: foreign, Body: 'not ours' }));
        await storage().put(mine, inPieces(randomBytes(10), 10), signal);
        expect(await whole(storage('flow-files/').open(mine, signal))).toHaveLength(10);
        const found: string[] = [];
        for await (const { key } of storage().olderThan(new Date(Date.now() + 60_000), signal)) found.push(key);
        expect(found).toEqual([mine]);
    });

    it('are copied to this machine only until the copy is released', async () => {
        const key = newKey();
        await storage().put(key, inPieces(randomBytes(10), 10), signal);
        const { path, release } = await storage().local(key, signal);
        expect(existsSync(path)).toBe(true);
        await release();
        expect(existsSync(dirname(path))).toBe(false);
    });

    it('leave no parts of a broken upload in the bucket', async () => {
        async function* failing(): AsyncGenerator<Uint8Array> {
            for (let i = 0; i < 11; i++) yield randomBytes(1024 * 1024);
            throw new Error('gone');
        }
        await expect(storage().put(newKey(), failing(), signal)).rejects.toThrow('gone');
        expect((await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }))).Uploads ?? []).toEqual([]);
    });

    it('are listed beyond one page, and only those of the own prefix', async () => {
        const [mine, others] = [storage('mine/'), storage('others/')];
        const keys = Array.from({ length: 1_005 }, newKey);
        for (let at = 0; at < keys.length; at += 50) {
            await Promise.all(
                keys
                    .slice(at, at + 50)
                    .map(key => client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `mine/${key}`, Body: 'x' }))),
            );
        }
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'mine/photo.png', Body: 'x' }));
        const other = newKey();
        await others.put(other, inPieces(randomBytes(1), 1), signal);
        const found: string[] = [];
        for await (const { key } of mine.olderThan(new Date(Date.now() + 60_000), signal)) found.push(key);
        expect(found.sort()).toEqual(keys.sort());
        expect(await codeOf(whole(mine.open(other, signal)))).toBe('BLOB_NOT_FOUND');
    });

    it('report what is wrong with the bucket', async () => {
        expect(await codeOf(storage('', 'no-such-bucket').put(newKey(), inPieces(randomBytes(1), 1), signal))).toBe(
            'STORAGE_FAILED',
        );
        expect(await codeOf(whole(storage('', 'no-such-bucket').open(newKey(), signal)))).toBe('STORAGE_FAILED');
    });
});
