import type { Blobs } from '../../src/io/storage/blobs';
import { FileRemoval } from '../../src/plugin/files/file-removal';
import { FLOW_FILES } from '../../src/plugin/tokens';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@vendure/core';
import gql from 'graphql-tag';
import { flowError } from '../../src/core/errors/flow-error';
import { FileRows } from '../../src/plugin/files/file-rows';
import { Files } from '../../src/plugin/files/files';
import { naming } from '../../test/kit/naming';
import { inChannel } from '../config/administrators';
import type { Database } from '../config/databases';
import { until } from '../config/flow-server';
import { isTheOne } from '../config/matrix';
import { type Answer, CSV, directory, type FileShop, MAX_FILE_SIZE, MIB } from '../fixtures/file-shop';

/** The life of stored files: sweeping, errors of the database, large files. */
export function storedFiles(at: FileShop, database: Database): void {
    const { call, upload, stored, blobOf, count, expire, sweep, expectNothingStored, existing } = at;

    describe('sweeping', () => {
        const definition = (fileId: string): object => ({
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv', fileId } },
            ],
            edges: [{ from: 'start', to: 'in' }],
        });
        let runs = 0;
        const runWith = async (fileId: string, status: string): Promise<void> => {
            const number = ++runs;
            const text = JSON.stringify(definition(fileId));
            await at.shop.dataSource.query(
                `INSERT INTO flow_pipeline_revision (pipeline_id, ${quoted('number')}, definition, digest) VALUES (900, ${number}, '${text}', 'x')`,
            );
            const [{ id }] = await at.shop.dataSource.query(`SELECT MAX(id) AS id FROM flow_pipeline_revision`);
            await at.shop.dataSource.query(
                `INSERT INTO flow_pipeline_run (pipeline_id, revision_id, channel_id, status, trigger_key, trigger_type) VALUES (900, ${id}, 1, '${status}', 'start', 'MANUAL')`,
            );
        };
        const quoted = (name: string): string => (database === 'mariadb' ? `\`${name}\`` : `"${name}"`);
        const endRuns = (): Promise<unknown> =>
            at.shop.dataSource.query("UPDATE flow_pipeline_run SET status = 'CANCELLED' WHERE pipeline_id = 900");
        afterEach(endRuns);

        it.each(['PENDING', 'RUNNING', 'PAUSED'])(
            'keeps an expired file for a %s run that reads it, until that run has ended',
            async status => {
                const [kept, gone] = [await upload('kept.csv'), await upload('gone.csv')];
                await runWith(kept, status);
                await runWith(gone, 'COMPLETED');
                await expire(kept);
                await expire(gone);
                expect(await sweep()).toEqual({ expired: 1, orphans: 0 });
                expect((await call(`files/${kept}`)).status).toBe(410);
                const forRun = (createdAt: Date) => at.shop.app.get(Files).forRun({ channelId: 1, createdAt });
                const file = await forRun(new Date('2000-01-01')).find(kept);
                expect(file).toMatchObject({ id: kept, filename: 'kept.csv', format: 'csv', size: CSV.length });
                const chunks: Uint8Array[] = [];
                for await (const chunk of file!.content.open(new AbortController().signal)) chunks.push(chunk);
                expect(Buffer.concat(chunks).toString()).toBe(CSV);
                // A run that was started later does not find it, nor does one of another channel.
                expect(await forRun(new Date()).find(kept)).toBeUndefined();
                expect(
                    await at.shop.app
                        .get(Files)
                        .forRun({ channelId: 2, createdAt: new Date('2000-01-01') })
                        .find(kept),
                ).toBeUndefined();
                expect(await forRun(new Date('2000-01-01')).find('no-id')).toBeUndefined();
                await endRuns();
                expect(await sweep()).toEqual({ expired: 1, orphans: 0 });
                await expectNothingStored();
            },
        );

        it('continues after many files that stay, and keeps those that have not expired', async () => {
            const ids: string[] = [];
            for (const name of ['a', 'b', 'c', 'd']) ids.push(await upload(`${name}.csv`));
            await runWith(ids[0]!, 'RUNNING');
            for (const id of ids.slice(0, 3)) await expire(id);
            expect(await sweep()).toEqual({ expired: 2, orphans: 0 });
            expect(await count()).toBe(2);
            expect((await call(`files/${ids[3]!}`)).status).toBe(200);
        });

        it('finishes an interrupted removal', async () => {
            const id = await upload();
            await at.shop.dataSource.query(
                `UPDATE flow_managed_file SET removed_at = '2026-01-01 00:00:00' WHERE id = ${id.replace('T_', '')}`,
            );
            for (const path of ['', '/download']) expect((await call(`files/${id}${path}`)).status).toBe(404);
            expect((await call('files')).body).toEqual({ items: [], totalItems: 0 });
            expect(await sweep()).toEqual({ expired: 1, orphans: 0 });
            await expectNothingStored();
        });

        it('continues after contents that cannot be deleted, reports them once, and tries them again', async () => {
            const ids = [await upload('a.csv'), await upload('b.csv'), await upload('c.csv')];
            for (const id of ids)
                await at.shop.dataSource.query(
                    `UPDATE flow_managed_file SET removed_at = '2026-01-0${ids.indexOf(id) + 1} 00:00:00' WHERE id = ${id.replace('T_', '')}`,
                );
            const last = await upload('d.csv');
            await expire(last);
            const orphan = 'e'.repeat(32);
            writeFileSync(join(directory, orphan), 'left behind');
            const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
            utimesSync(join(directory, orphan), yesterday, yesterday);
            // A folder in the place of a content: it cannot be deleted as a file.
            const stuck = await Promise.all([ids[0]!, last].map(blobOf));
            for (const path of stuck) {
                rmSync(path);
                mkdirSync(path);
            }
            const warn = jest.spyOn(Logger, 'warn');
            try {
                expect(await sweep()).toEqual({ expired: 2, orphans: 1 });
                expect(await count()).toBe(2);
                const told = warn.mock.calls.map(([message]) => message).filter(text => /EISDIR|EPERM/.test(text));
                expect(told).toEqual([expect.stringMatching(naming(2))]);
            } finally {
                warn.mockRestore();
            }
            for (const path of stuck) rmSync(path, { recursive: true });
            expect(await sweep()).toEqual({ expired: 2, orphans: 0 });
            await expectNothingStored();
        });

        it('removes a content without a file after a day', async () => {
            const id = await upload();
            const [young, old, part] = ['a', 'b', 'c'].map(digit => digit.repeat(32)) as [string, string, string];
            const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
            for (const name of [young, old, `${part}.part`]) writeFileSync(join(directory, name), 'left behind');
            for (const name of [old, `${part}.part`]) utimesSync(join(directory, name), yesterday, yesterday);
            utimesSync(await blobOf(id), yesterday, yesterday);
            expect(await sweep()).toEqual({ expired: 0, orphans: 2 });
            expect([...stored()].sort()).toEqual([young, (await blobOf(id)).split('/').at(-1)!].sort());
            expect(await sweep()).toEqual({ expired: 0, orphans: 0 });
            expect((await call(`files/${id}/download`)).status).toBe(200);
        });

        it('may be done by several processes at once', async () => {
            for (let i = 0; i < 5; i++) await expire(await upload(`${i}.csv`));
            const swept = await Promise.all([sweep(), sweep(), sweep()]);
            expect(swept.reduce((sum, { expired }) => sum + expired, 0)).toBeGreaterThanOrEqual(5);
            await expectNothingStored();
        });
    });

    it('are removed by one of several calls at the same moment', async () => {
        const id = await upload();
        const file = { id: id.replace('T_', ''), blobKey: (await blobOf(id)).split('/').at(-1)! };
        const removal = at.shop.app.get(FileRemoval);
        const blobs = at.shop.app.get<Blobs>(FLOW_FILES);
        const remove = blobs.delete.bind(blobs);
        const another: boolean[] = [];
        const between = jest.spyOn(blobs, 'delete').mockImplementationOnce(async key => {
            another.push(await removal.remove(file));
            await remove(key);
        });
        try {
            expect([await removal.remove(file), another]).toEqual([true, [false]]);
        } finally {
            between.mockRestore();
        }
        await expectNothingStored();
    });

    describe('when the database fails', () => {
        const uploading = () => at.uploadForm([{ filename: 'a.csv' }]);

        it('after the insertion, a file keeps its content', async () => {
            const issue = jest
                .spyOn(at.shop.app.get(Files), 'existing')
                .mockRejectedValueOnce(new Error('timeout exceeded when trying to connect'));
            const { status } = await uploading();
            issue.mockRestore();
            expect(status).toBe(500);
            const { body } = await call('files');
            expect(body.totalItems).toBe(1);
            expect((await call(`files/${String(body.items![0]!['id'])}/download`)).body['text']).toBe(CSV);
        });

        it.each([
            ['so that it is unknown whether the row exists, the content stays', new Error('Connection terminated'), 1],
            ['so that the row cannot be there, nothing stays', flowError('DATABASE_BUSY', { problem: 'deadlock' }), 0],
        ])('at the insertion, %s', async (_, thrown, contents) => {
            const issue = jest.spyOn(FileRows.prototype, 'insert').mockRejectedValueOnce(thrown);
            const { status } = await uploading();
            issue.mockRestore();
            expect(status).toBeGreaterThanOrEqual(500);
            expect(await existing()).toHaveLength(contents);
            expect(await count()).toBe(0);
        });
    });

    if (isTheOne(database)) largeFiles(at);

    describe('over GraphQL', () => {
        const FILES = gql`query Files($options: FlowFileListOptions) {
            flowFiles(options: $options) { totalItems items { id filename mimeType format encoding size sha256 rows expiresAt createdAt uploadedBy { identifier } } }
        }`;
        const FILE = gql`query File($id: ID!) { flowFile(id: $id) { filename size } }`;

        it('are listed, filtered, sorted and found, in the active channel alone', async () => {
            for (const name of ['b.csv', 'a.csv']) await upload(name);
            const expired = await upload('c.csv');
            await expire(expired);
            const { flowFiles } = await at.reader.query(FILES, {
                options: { sort: { filename: 'ASC' }, filter: { size: { gt: 1 }, format: { eq: 'csv' } } },
            });
            expect(flowFiles.totalItems).toBe(2);
            expect(flowFiles.items.map(({ filename }: { filename: string }) => filename)).toEqual(['a.csv', 'b.csv']);
            expect(flowFiles.items[0]).toMatchObject({
                size: CSV.length,
                uploadedBy: { identifier: `manager-${at.managers}@shop.test` },
                encoding: 'utf-8',
                rows: null,
            });
            const { id } = flowFiles.items[0] as { id: string };
            expect(await at.reader.query(FILE, { id })).toEqual({ flowFile: { filename: 'a.csv', size: CSV.length } });
            expect(await at.reader.query(FILE, { id: expired })).toEqual({ flowFile: null });
            await inChannel(at.shop.adminClient, at.other.token, async () => {
                expect(await at.shop.adminClient.query(FILE, { id })).toEqual({ flowFile: null });
                expect((await at.shop.adminClient.query(FILES, {})).flowFiles).toEqual({ totalItems: 0, items: [] });
            });
        });
    });

    it('are on the disk unchanged, and closed to other users of the machine', async () => {
        const path = await blobOf(await upload());
        expect(readFileSync(path, 'utf8')).toBe(CSV);
        expect(statSync(path).mode & 0o007).toBe(0);
    });
}

/** Files that are transferred in pieces are not in the database until they are complete. */
function largeFiles(at: FileShop): void {
    const { call, form, count, sent, expectNothingStored, existing } = at;

    describe('large files', () => {
        /** Rows of a form that are generated one by one, without keeping them in memory. */
        function* rows(bytes: number): Generator<Buffer> {
            const piece = Buffer.from(`${'x'.repeat(99)}\n`.repeat(640));
            yield Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n');
            for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
            yield Buffer.from('\r\n--x--\r\n');
        }
        const send = (pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<Answer> => {
            const body = ReadableStream.from(pieces) as never;
            return call('upload', {
                method: 'POST',
                body,
                duplex: 'half',
                headers: { 'content-type': 'multipart/form-data; boundary=x' },
            });
        };

        it('are written as they arrive: the folder contains what was sent, except for a few pieces', async () => {
            const SIZE = 96 * MIB;
            let most = 0;
            async function* watched(): AsyncGenerator<Buffer> {
                let sent = 0;
                for (const piece of rows(SIZE)) {
                    const [name] = sent > MIB ? await existing() : [];
                    if (name) most = Math.max(most, sent - statSync(join(directory, name)).size);
                    sent += piece.length;
                    yield piece;
                }
            }
            const { status, body } = await send(watched());
            expect([status, body.file!['size']]).toEqual([201, expect.any(Number)]);
            expect(body.file!['size']).toBeGreaterThanOrEqual(SIZE);
            expect(most).toBeGreaterThan(0);
            expect(most).toBeLessThan(SIZE / 4);
            const response = await fetch(`${at.shop.url}/flow/files/${String(body.file!['id'])}/download`, {
                headers: { authorization: `Bearer ${at.manager.getAuthToken()}` },
            });
            let size = 0;
            for await (const chunk of response.body!) size += (chunk as Uint8Array).length;
            expect(size).toBe(body.file!['size']);
        });

        it('are rejected with 413 above the limit, whether their length is announced or not, and leave nothing', async () => {
            const unpublished = await send(rows(MAX_FILE_SIZE + MIB));
            expect([unpublished.status, unpublished.body]).toEqual([
                413,
                {
                    success: false,
                    error: expect.stringMatching(naming(MAX_FILE_SIZE)),
                    code: 'BODY_TOO_LARGE',
                },
            ]);
            await expectNothingStored();
            const { body } = form([{ filename: 'a.csv' }]);
            const announced = [
                `Content-Length: ${MAX_FILE_SIZE + MIB}`,
                'Content-Type: multipart/form-data; boundary=x',
            ];
            expect(await sent({ headers: announced, body: String(body), until: '}' })).toMatch(
                /^HTTP\/1.1 413 [^]*"BODY_TOO_LARGE"/,
            );
            await expectNothingStored();
        });

        it('leave nothing when their sender disconnects', async () => {
            const { port, hostname } = new URL(at.shop.url);
            const socket = connect({ port: Number(port), host: hostname });
            socket.on('error', () => undefined);
            socket.write(
                `POST /flow/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${at.manager.getAuthToken()}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000000\r\n\r\n`,
            );
            socket.write('--x\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n');
            socket.write(Buffer.alloc(4 * MIB, 'x'));
            await until(existing, names => names.length === 1);
            expect((await existing())[0]).toMatch(/\.part$/);
            socket.destroy();
            await until(existing, names => names.length === 0);
            expect(await count()).toBe(0);
        });

        it('may be downloaded in part', async () => {
            const { body } = await send(rows(30 * MIB));
            const path = `${at.shop.url}/flow/files/${String(body.file!['id'])}/download`;
            const stop = new AbortController();
            const response = await fetch(path, {
                headers: { authorization: `Bearer ${at.manager.getAuthToken()}` },
                signal: stop.signal,
            });
            await response.body!.getReader().read();
            stop.abort();
            await sleep(100);
            expect((await call(`files/${String(body.file!['id'])}`)).status).toBe(200);
        });
    });
}
