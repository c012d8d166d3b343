import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { join } from 'node:path';
import { freePort, launch, scratchFolder } from './process';

/** A server of S3 and SQS on this machine that keeps everything in memory and does not check signatures. */
export interface CloudServer {
    readonly endpoint: string;
    readonly client: S3Client;
    stop(): Promise<void>;
}

export const CLOUD_KEYS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Starts it, with one bucket. */
export async function startCloud(bucket: string): Promise<CloudServer> {
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: CLOUD_KEYS });
    const server = await launch(
        {
            // A separate program: the package is ESM only, which the tests cannot import.
            command: process.execPath,
            args: [join(__dirname, '../../node_modules/fauxqs/dist/cli.js')],
            folder: scratchFolder(),
            env: { FAUXQS_PORT: String(port), FAUXQS_HOST: '127.0.0.1', FAUXQS_LOGGER: 'false' },
        },
        async () => {
            await client.send(new CreateBucketCommand({ Bucket: bucket }));
        },
    );
    return {
        endpoint,
        client,
        stop: async () => {
            client.destroy();
            await server.stop();
        },
    };
}
