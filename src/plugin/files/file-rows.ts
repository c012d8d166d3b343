import type { ID } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { Database } from '../../database/database';
import { type Sql, name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered } from '../../database/write';
import { FlowManagedFile } from '../entities/managed-file';
import { isRowId } from '../stores/row-id';

/** The columns of a file that an upload or an export sets. */
type NewFile = Pick<
    FlowManagedFile,
    'filename' | 'mimeType' | 'format' | 'encoding' | 'size' | 'sha256' | 'uploadedBy' | 'expiresAt' | 'blobKey'
> & {
    readonly channelId: Id;
} & Partial<Pick<FlowManagedFile, 'exportCode' | 'rows'>>;

/** What the removal of a file needs to know about it. */
export interface RemovableFile {
    readonly id: Id;
    readonly channelId: Id;
    readonly blobKey: string;
}

/** A page in the order of expiry. */
interface Page {
    readonly now: Date;
    readonly limit: number;
    /** Ids of files that are not removed. */
    readonly except: readonly Id[];
}

/** The statements that change files. Each is atomic, so that a removal may stop after any of them and be continued later. */
export class FileRows {
    private readonly files: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.files = tableOf(dataSource, FlowManagedFile);
    }

    /** Inserts a file. Throws FILE_LIMIT if its channel has the maximum number of files, also if many are inserted at once. */
    insert(file: NewFile, maxFiles: number): Promise<Id> {
        const target = { table: this.files, dialect: this.database.dialect };
        const { channelId } = file;
        const insertion = function* (this: FileRows): StatementProgram<Id> {
            const count = yield* this.count(channelId);
            if (count >= maxFiles) throw full(count, maxFiles);
            const [id] = yield* insertNumbered(target, [{ ...file }]);
            return id!;
        };
        return this.database.transaction(insertion.bind(this), { locks: [`flow-files:${channelId}`] });
    }

    /** Throws FILE_LIMIT before an upload is read that cannot be stored. */
    async checkRoom(channelId: ID, maxFiles: number): Promise<void> {
        const count = await this.database.run(() => this.count(channelId as Id));
        if (count >= maxFiles) throw full(count, maxFiles);
    }

    /** The files of an export that are older than the newest ones. */
    async olderOf({
        channelId,
        exportCode,
        keep,
    }: {
        readonly channelId: Id;
        readonly exportCode: string;
        readonly keep: number;
    }): Promise<readonly RemovableFile[]> {
        const { files } = this;
        const [channel, code] = [files.column('channelId'), files.column('exportCode')];
        const all = await this.removable(
            sql`${channel} = ${channelId} AND ${code} = ${exportCode} AND ${files.column('removedAt')} IS NULL ORDER BY ${files.column('createdAt')} DESC, ${files.column('id')} DESC`,
        );
        return all.slice(keep);
    }

    /** Stores how many records a file contains, so that they need not be counted again. */
    async setCount(id: ID, rows: number): Promise<void> {
        const { files } = this;
        await this.database.run(() =>
            send(sql`UPDATE ${files.name} SET ${files.column('rows')} = ${rows} WHERE ${files.column('id')} = ${id}`),
        );
    }

    /** Hides a file. Returns false if it is already hidden or deleted. */
    mark(id: Id): Promise<boolean> {
        const { files } = this;
        const removedAt = files.column('removedAt');
        return this.changed(
            sql`UPDATE ${files.name} SET ${removedAt} = ${files.toColumn('removedAt', new Date())} WHERE ${files.column('id')} = ${id} AND ${removedAt} IS NULL`,
        );
    }

    /** Removes the row of a hidden file. */
    remove(id: Id): Promise<boolean> {
        const { files } = this;
        return this.changed(
            sql`DELETE FROM ${files.name} WHERE ${files.column('id')} = ${id} AND ${files.column('removedAt')} IS NOT NULL`,
        );
    }

    /** Hidden files, whose removal was interrupted or is in progress, in the order in which they were hidden. */
    hidden({ limit, except }: Pick<Page, 'limit' | 'except'>): Promise<readonly RemovableFile[]> {
        const { files, database } = this;
        const [id, removedAt] = [files.column('id'), files.column('removedAt')];
        return this.removable(
            sql`${removedAt} IS NOT NULL AND NOT (${database.dialect.oneOf(id, except)}) ORDER BY ${removedAt}, ${id} LIMIT ${limit}`,
        );
    }

    /** Expired files, the oldest ones first. */
    expired({ now, limit, except }: Page): Promise<readonly RemovableFile[]> {
        const { files, database } = this;
        const [id, expiresAt] = [files.column('id'), files.column('expiresAt')];
        return this.removable(sql`
            ${expiresAt} <= ${files.toColumn('expiresAt', now)} AND ${files.column('removedAt')} IS NULL AND NOT (${database.dialect.oneOf(id, except)})
            ORDER BY ${expiresAt}, ${id} LIMIT ${limit}`);
    }

    /** Which of these keys belong to a file, hidden or not. */
    async known(keys: readonly string[]): Promise<ReadonlySet<string>> {
        const { files, database } = this;
        const key = files.column('blobKey');
        const rows = await database.run(() =>
            select<{ key: string }>(sql`
            SELECT ${key} AS ${name('key')} FROM ${files.name} WHERE ${database.dialect.oneOf(key, keys)}`),
        );
        return new Set(rows.map(row => row.key));
    }

    /** Whether an id in a request has a valid form. Databases handle invalid ones differently. */
    isId(id: ID): boolean {
        return isRowId(this.files, id);
    }

    /** Ids in the form of the database. */
    asIds(ids: readonly string[]): readonly Id[] {
        return this.files.numbersItself ? ids.map(Number) : ids;
    }

    private *count(channelId: Id): StatementProgram<number> {
        const { files } = this;
        const expiresAt = files.column('expiresAt');
        const rows = yield* select<{ n: number | string }>(sql`
            SELECT COUNT(*) AS n FROM ${files.name} WHERE ${files.column('channelId')} = ${channelId} AND ${files.column('removedAt')} IS NULL
            AND (${expiresAt} IS NULL OR ${expiresAt} > ${files.toColumn('expiresAt', new Date())})`);
        return Number(rows[0]?.n ?? 0);
    }

    private removable(where: Sql): Promise<readonly RemovableFile[]> {
        const { files } = this;
        return this.database.run(() =>
            select<RemovableFile>(sql`
            SELECT ${files.column('id')} AS ${name('id')}, ${files.column('channelId')} AS ${name('channelId')}, ${files.column('blobKey')} AS ${name('blobKey')}
            FROM ${files.name} WHERE ${where}`),
        );
    }

    private changed(statement: Sql): Promise<boolean> {
        return this.database.run(function* (): StatementProgram<boolean> {
            return (yield* send(statement)).affected > 0;
        });
    }
}

function full(count: number, allowed: number): Error {
    return flowError('FILE_LIMIT', { count, allowed });
}
