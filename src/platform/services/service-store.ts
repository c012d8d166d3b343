import {
    ConfigService,
    type ID,
    type RequestContext,
    TransactionalConnection,
    type VendureEntity,
} from '@vendure/core';
import { type FindOptionsWhere, In, IsNull, type ObjectType, type Repository } from 'typeorm';
import type { JsonValue } from '../../core/value/json';
import { type Table, tableOf } from '../../database/table';
import { Columns } from '../entities/columns';
import { CustomFields } from '../entities/custom-fields';
import { EntityStore } from '../entities/entity-store';
import type { TextLimit } from '../entities/read-field';
import type { RunChannel } from '../lookup/run-channel';
import type { ServiceChannels } from './service-channels';
import type { ServiceEntity, ServiceInput, Values } from './service-entity';
import type { ReferencedKind, ScalarField } from './service-field';
import type { ServiceOperations } from './service-operations';
import type { ServiceWork } from './service-work';
import { plain, ServiceCustomFields } from './service-custom-fields';

/** One that is there, or that a dry run has planned; then it has no id. */
export interface StoredEntity {
    readonly id: ID | undefined;
    readonly values: Columns;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: ID };

interface Reads {
    readonly work: ServiceWork;
    readonly channel: RunChannel;
    readonly channels: ServiceChannels | undefined;
    readonly operations: ServiceOperations;
}

/** The path of the text in a language: those of the run's language are at the top level, all others below `translations`. */
export const textPath = (own: string, language: string, path: string): string =>
    language === own ? path : `translations.${language}.${path}`;

/** Reads entities of one kind as records speak of them, through the repositories of Vendure's own transaction. */
export class ServiceStore {
    readonly custom: CustomFields;
    private readonly table: Table;
    /** Of its texts, where there is one for each language. */
    private readonly texts: Table;
    private readonly served: ServiceCustomFields;
    private readonly connection: TransactionalConnection;

    constructor(
        private readonly entity: ServiceEntity,
        private readonly reads: Reads,
    ) {
        const { platform } = reads.work;
        const { injector, ctx, dataSource } = platform;
        this.table = tableOf(dataSource, entity.type);
        // Vendure exports no types of translations.
        const texts = dataSource.getMetadata(entity.type).findRelationWithPropertyPath('translations');
        this.texts = texts
            ? tableOf(dataSource, texts.inverseEntityMetadata.target as ObjectType<VendureEntity>)
            : this.table;
        this.connection = injector.get(TransactionalConnection);
        const configs = injector.get(ConfigService).customFields[entity.customFields] ?? [];
        this.custom = new CustomFields(configs, {
            ctx,
            injector,
            isMySql: dataSource.options.type === 'mysql',
            base: this.table,
            translation: this.texts,
        });
        this.served = new ServiceCustomFields(configs, this.custom);
    }

    limitOf(field: string, { isTranslated, property = field }: ScalarField): TextLimit | undefined {
        return (isTranslated === true ? this.texts : this.table).limitOf(property);
    }

    /** The entities with a key in the run's channel, the oldest first. Excludes keys that only the database treats as equal. */
    async find(ctx: RequestContext, key: string): Promise<readonly StoredEntity[]> {
        const { type, fields, key: field } = this.entity;
        const repository = this.connection.getRepository(ctx, type);
        const what = fields[field] as ScalarField;
        const where = {
            ...(what.isTranslated === true
                ? { translations: { [field]: key, languageCode: this.reads.channel.language } }
                : { [field]: key }),
            ...living(repository),
            ...(this.reads.channels && { channels: { id: ctx.channelId } }),
        } as FindOptionsWhere<VendureEntity>;
        const isRelated = what.isTranslated === true || this.reads.channels !== undefined;
        const ids = isRelated ? await idsOf(repository, where) : undefined;
        if (ids?.length === 0) return [];
        const rows = await repository.find({
            where: ids ? { id: In(ids) } : where,
            relations: [...this.relations()],
            order: { id: 'ASC' },
        });
        return (rows as unknown as readonly Row[])
            .map(row => ({ id: row.id, values: new Columns(this.valuesOf(row)) }))
            .filter(({ values }) => values.get(field) === key);
    }

    private *relations(): Iterable<string> {
        for (const [name, field] of Object.entries(this.entity.fields)) {
            if (field.kind === 'value' && field.names) yield name;
            if (field.kind === 'channels') yield name;
        }
        for (const name of this.served.relations) yield `customFields.${name}`;
    }

    /** The ids of those with a value. */
    async having(ctx: RequestContext, field: string, value: JsonValue): Promise<readonly ID[]> {
        const where = { [field]: value } as FindOptionsWhere<object>;
        const rows = await this.connection.getRepository(ctx, this.entity.type).findBy(where);
        return rows.map(({ id }) => id);
    }

    /** The ids of the entities with a name; one that a dry run has only planned has a token instead. */
    async named(ctx: RequestContext, { type, described }: ReferencedKind, name: string): Promise<readonly ID[]> {
        const { work } = this.reads;
        if (described) {
            const store = new EntityStore(described, work.platform, { isBare: true });
            const found = await work.read(ctx, unit => store.named(unit, [name]));
            return (found.get(name) ?? []).map(({ id, token }) => id ?? token);
        }
        const repository = this.connection.getRepository(ctx, type);
        const rows = await repository.find({ where: { name, ...living(repository) } });
        return rows.filter(row => row.name === name).map(({ id }) => id);
    }

    /**
     * Values in the form of the service: ids of named entities, operations, texts by language, custom fields
     * separately.
     */
    inputOf(values: Values, ids: ReadonlyMap<string, ID>): ServiceInput {
        const base: Part = {};
        const texts = new Map<string, Part>();
        for (const [path, value] of Object.entries(values)) {
            const [inner, code] = this.ofLanguage(path);
            const part: Part = code === undefined ? base : (texts.get(code) ?? { languageCode: code });
            if (code !== undefined) texts.set(code, part);
            this.hand(part, inner, { value, id: ids.get(path) });
        }
        return { ...base, ...(texts.size > 0 && { translations: [...texts.values()] }) };
    }

    private hand(
        part: Part,
        path: string,
        { value, id }: { readonly value: JsonValue; readonly id: ID | undefined },
    ): void {
        const [, custom] = /^customFields\.(.+)$/.exec(path) ?? [];
        const field = this.entity.fields[path];
        if (custom !== undefined)
            part['customFields'] = { ...(part['customFields'] as Part), ...this.served.inputOf({ [custom]: value }) };
        else if (id !== undefined) part[`${path}Id`] = id;
        else if (field?.kind === 'operations') part[path] = this.reads.operations.input(path, value);
        else part[path] = field?.kind === 'value' && field.handed ? field.handed(value) : value;
    }

    /** The languages of the texts among some paths. */
    languagesIn(paths: readonly string[]): ReadonlySet<string> {
        return new Set(paths.flatMap(path => this.ofLanguage(path)[1] ?? []));
    }

    /** A path within the texts of a language, and that language where it is one of these. */
    private ofLanguage(path: string): readonly [path: string, language: string | undefined] {
        const [, code, inner] = /^translations\.([^.]+)\.(.+)$/.exec(path) ?? [];
        if (inner !== undefined) return [inner, code];
        const field = this.entity.fields[path];
        const isText = field
            ? field.kind === 'value' && field.isTranslated === true
            : this.custom.localised.some(({ property }) => property === path);
        return [path, isText ? this.reads.channel.language : undefined];
    }

    private valuesOf(row: Row): Record<string, JsonValue> {
        const { channels, channel, operations } = this.reads;
        const values: Record<string, JsonValue> = {};
        for (const [field, what] of Object.entries(this.entity.fields)) {
            if (what.kind === 'operations') values[field] = operations.valueOf(field, row[field]);
            if (what.kind === 'channels')
                values[field] = channels!.tokensOf((row[field] as readonly Row[]).map(({ id }) => id));
            if (what.kind !== 'value' || what.isTranslated === true) continue;
            const value = row[what.property ?? field] ?? null;
            values[field] = what.names ? ((value as { name: string } | null)?.name ?? null) : plain(value);
        }
        for (const [name, value] of Object.entries(this.served.valuesOf(row['customFields'])))
            values[`customFields.${name}`] = value;
        for (const text of (row['translations'] ?? []) as readonly Row[]) {
            const at = (path: string): string => textPath(channel.language, text['languageCode'] as string, path);
            for (const [field, what] of Object.entries(this.entity.fields))
                if (what.kind === 'value' && what.isTranslated === true) values[at(field)] = plain(text[field] ?? null);
            for (const { name, property } of this.custom.localised)
                values[at(property)] = plain((text['customFields'] as Readonly<Record<string, unknown>>)[name] ?? null);
        }
        return values;
    }
}

type Part = Record<string, unknown>;

/** Who is searched by a relation. Read whole at once, that relation would be read only as far as it was searched for. */
async function idsOf(repository: Repository<VendureEntity>, where: FindOptionsWhere<VendureEntity>): Promise<ID[]> {
    const found = await repository.find({ where, select: { id: true }, loadEagerRelations: false });
    return found.map(({ id }) => id);
}

/** Without those that are deleted but kept. */
export function living(repository: Repository<VendureEntity>): object {
    return repository.metadata.findColumnWithPropertyName('deletedAt') ? { deletedAt: IsNull() } : {};
}
