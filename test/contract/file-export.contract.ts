import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileExport } from '../../src/adapters/sinks/file-export';
import { parseWith } from '../../src/core/schema/issues';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import type { JsonObject } from '../../src/core/value/json';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { contextWith } from '../../src/testing/context';
import { MemoryExports } from '../../src/testing/memory-exports';
import { RUN } from '../kit/run-facts';
import { scratchFolder } from '../servers/process';
import { startSftp } from '../servers/sftp-server';

it('a file export replaces a whole file on an SFTP server, and leaves no other file there', async () => {
    const folder = scratchFolder();
    const server = await startSftp({ folder });
    const rules = { unknownHostKeys: false, cloudCredentials: false, maxFileBytes: 2 ** 31 };
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'], rules });
    const outbound = gateway.forRun({ scope: 'export', rateLimitRps: 0 });
    const settings: JsonObject = {
        host: '127.0.0.1',
        port: server.port,
        username: 'shop',
        passwordSecretCode: 'password',
        hostKeyFingerprintSecretCode: 'fingerprint',
    };
    const values: Readonly<Record<string, string>> = { password: 'secret', fingerprint: server.fingerprint };
    const exports = new MemoryExports();
    const cx = contextWith({
        exports,
        outbound,
        secrets: { get: code => new Secret(code, values[code]!, EVERY_HOST) },
        connections: { get: code => ({ code, type: 'SFTP', settings }) },
    });
    const parsed = parseWith(fileExport.config, {
        format: 'CSV',
        connectionCode: 'customer',
        folder: 'in/prices',
        fileName: 'prices-${date}.csv',
    });
    if (!parsed.ok) throw new Error('The configuration is invalid.');
    const session = await fileExport.open(parsed.value as never, { ...cx, run: RUN });
    const path = join(folder, 'in/prices');
    try {
        for (const price of [1, 2]) {
            await session.deliver([{ data: { sku: 'A', price }, origin: { seq: 0 } }], [`${price}`]);
            expect(existsSync(path) ? readdirSync(path) : []).toEqual(price === 1 ? [] : ['prices-1970-01-01.csv']);
            await session.finish!({ lack: undefined, unread: undefined });
            expect(readdirSync(path)).toEqual(['prices-1970-01-01.csv']);
            expect(readFileSync(join(path, 'prices-1970-01-01.csv'), 'utf8')).toBe(`sku,price\r\nA,${price}\r\n`);
        }
        expect(exports.files).toEqual([]);
    } finally {
        outbound.close();
        await gateway.close();
        await server.close();
    }
});
