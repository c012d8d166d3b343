import { DefaultSearchPlugin, Logger, Product, ProductVariant } from '@vendure/core';
import type { EntityMetadata } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import type { JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { column, name, send, type Sql, sql } from '../../database/statement';
import { joinTableOf, type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, insertRows, onConflictUpdate } from '../../database/write';
import type { VendurePlatform } from '../context';
import { type IndexedVariant, inChunks, productsWithoutVariants, variantStates } from './changed-variants';
import { type IndexEntry, ENTRY_FIELDS, IndexEntries } from './index-entries';
import type { IndexChanges, IndexService, SearchIndex } from './index-service';
import { IndexSource } from './index-source';

/** Variants that are read, and whose entries are written, together. */
const AT_ONCE = 250;
const DELETIONS_A_STATEMENT = 5000;

const ENTRY = 'SearchIndexItem';
const LOG_CONTEXT = 'Flow';

const entryTable = ({ dataSource }: VendurePlatform): EntityMetadata | undefined =>
    dataSource.entityMetadatas.find(({ name }) => name === ENTRY);

/** Whether the table of DefaultSearchPlugin has exactly the columns that are known here. */
export function canIndexDirectly(platform: VendurePlatform): boolean {
    const columns = entryTable(platform)?.columns.map(({ propertyPath }) => propertyPath) ?? [];
    return columns.length > 0 && columns.every(column => (ENTRY_FIELDS as readonly string[]).includes(column));
}

/**
 * Writes the entries of DefaultSearchPlugin itself, in bulk and at once: the same entries that its jobs would write, at some
 * fifteen statements for 250 variants instead of twenty for each (a test compares them with those of a reindex).
 */
export class DirectIndex implements SearchIndex {
    private readonly table: Table;
    private readonly keys: readonly string[];

    constructor(
        private readonly service: IndexService,
        private readonly platform: VendurePlatform,
    ) {
        this.table = tableOf(platform.dataSource, ENTRY);
        this.keys = entryTable(platform)!.primaryColumns.map(({ propertyName }) => propertyName);
    }

    get showsStock(): boolean {
        return DefaultSearchPlugin.options.indexStockStatus === true;
    }

    async update({ variantIds, productIds, left }: IndexChanges): Promise<void> {
        const { database } = this.platform;
        const states = await variantStates(variantIds, this.platform);
        const gone = states.filter(({ isAlive }) => !isAlive).map(({ id }) => id);
        for (const ids of inChunks(gone, DELETIONS_A_STATEMENT)) await database.run(() => this.remove(ids));
        for (const { channelId, variantIds: moved } of left)
            for (const ids of inChunks(moved, DELETIONS_A_STATEMENT))
                await database.run(() => this.leave(channelId, ids));
        const source = await IndexSource.open(this.platform);
        const made = new IndexEntries(this.platform, {
            showsStock: this.showsStock,
            showsCurrency: DefaultSearchPlugin.options.indexCurrencyCode === true,
        });
        const alive = states.filter(({ isAlive }) => isAlive).map(({ id }) => id);
        await this.inTurns([...inChunks(alive, AT_ONCE)], { source, made });
        await this.removeStandIns(states);
        const bare = await productsWithoutVariants(productIds, this.platform);
        // The table's key has room for one product without variants in each channel and language: the last one stays.
        for (const id of bare.slice(-1)) await this.service.updateProduct(this.platform.ctx, new Product({ id }));
    }

    /**
     * Writes the entries of variants, some at a time. The next variants are read while these entries are built and
     * the previous ones are written.
     */
    private async inTurns(
        parts: ReadonlyArray<readonly Id[]>,
        { source, made }: { readonly source: IndexSource; readonly made: IndexEntries },
    ): Promise<void> {
        const read = (part: number): Promise<readonly ProductVariant[]> =>
            heard(parts[part] ? source.variants(parts[part]) : Promise.resolve([]));
        let reading = read(0);
        let storing: Promise<void> = Promise.resolve();
        try {
            for (const part of parts.keys()) {
                const variants = await reading;
                reading = read(part + 1);
                const entries = await made.of(variants);
                await storing;
                storing = heard(this.storeAll(entries));
            }
            await storing;
        } finally {
            // After an error in one of them, neither continues in the background.
            await Promise.allSettled([reading, storing]);
        }
    }

    /** Entries in a channel, of variants that are not in it. */
    private *leave(channelId: Id, variantIds: readonly Id[]): StatementProgram<void> {
        const { table, platform } = this;
        const { dialect } = platform.database;
        const members = joinTableOf(platform.dataSource, ProductVariant, 'channels');
        const own = (property: string): Sql => sql`${table.name}.${table.column(property)}`;
        yield* send(sql`DELETE FROM ${table.name} WHERE ${dialect.oneOf(table.column('productVariantId'), variantIds)}
            AND ${table.column('channelId')} = ${channelId}
            AND NOT EXISTS (SELECT 1 FROM ${members.name} AS ${name('m')}
                WHERE ${column('m', members.column('productVariantId').name)} = ${own('productVariantId')} AND ${column('m', members.column('channelId').name)} = ${channelId})`);
    }

    private *remove(variantIds: readonly Id[]): StatementProgram<void> {
        yield* deleteRows(
            { table: this.table, dialect: this.platform.database.dialect },
            'productVariantId',
            variantIds,
        );
    }

    /**
     * If a product has variants, the entry that represented the product itself is removed: at most a handful, which
     * are searched once, since no key leads to them.
     */
    private async removeStandIns(states: readonly IndexedVariant[]): Promise<void> {
        const { table } = this;
        const { database } = this.platform;
        const productIds = new Set(states.filter(({ isAlive }) => isAlive).map(({ productId }) => productId));
        for (const ids of inChunks([...productIds], DELETIONS_A_STATEMENT))
            await database.run(() =>
                send(sql`DELETE FROM ${table.name} WHERE ${database.dialect.oneOf(table.column('productId'), ids)}
                    AND ${table.column('sku')} = ${''} AND ${table.column('price')} = ${0}`),
            );
    }

    /**
     * An entry that its table rejects, for example because its taxed price is too large, must not block the others: a rejected list is halved until
     * the entry is alone.
     */
    private async storeAll(entries: readonly IndexEntry[]): Promise<void> {
        try {
            await this.platform.database.run(() => this.store(entries));
        } catch (error) {
            if (!isFlowError(error) || error.treat !== 'record') throw error;
            if (entries.length > 1) {
                const half = Math.ceil(entries.length / 2);
                for (const part of [entries.slice(0, half), entries.slice(half)]) await this.storeAll(part);
                return;
            }
            const { sku, channelId, languageCode } = entries[0]!;
            const which = `variant ${show(sku as JsonValue)} in channel ${String(channelId)}, language ${String(languageCode)}`;
            Logger.error(`The search index does not take ${which}: ${error.message}`, LOG_CONTEXT);
        }
    }

    private *store(entries: readonly IndexEntry[]): StatementProgram<void> {
        if (entries.length === 0) return;
        const { table, keys: key } = this;
        const { dialect } = this.platform.database;
        const written = Object.keys(entries[0]!).filter(property => !key.includes(property));
        yield* insertRows({ table, dialect }, entries, onConflictUpdate({ table, dialect }, { key, written }));
    }
}

/**
 * The error is thrown where the work is awaited, which may be after other work: as an unhandled rejection it would
 * end the process.
 */
function heard<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return work;
}
