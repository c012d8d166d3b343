import { didYouMean } from '../../core/data/similar-words';
import { show } from '../../core/value/show';
import { ISSUE_TEXTS } from '../../core/schema/issue-texts';
import { issueAt, issueBecause, type SchemaIssue } from '../../core/schema/issues';
import { EMPTY, join, name, raw, sql } from '../../database/statement';
import { type ComparedField, type LinkedField, type QueryFilter, filterProblem } from './filters';
import type { RelatedFilterFields } from './linked-fields';
import type { QuerySource, SourceField } from './source';

/** What of a query's configuration names fields of the shop. */
export interface NamedFields {
    readonly filters?: readonly QueryFilter[] | undefined;
    readonly includeFields?: readonly string[] | undefined;
    readonly excludeFields?: readonly string[] | undefined;
    readonly relations?: readonly string[] | undefined;
    readonly sortBy: string;
    readonly language: string;
    readonly flattenTranslations: boolean;
    /** Fields that can only be compared. */
    readonly beside: RelatedFilterFields;
}

/** The fields that can be compared and sorted by; for translated ones, the displayed translation. */
export class QueriedNames {
    private readonly fields: ReadonlyMap<string, SourceField>;
    private readonly roots: readonly string[];

    constructor(
        private readonly source: QuerySource,
        private readonly named: NamedFields,
    ) {
        const texts = source.texts?.fields.map(field => this.translated(field)) ?? [];
        this.fields = new Map([...texts, ...source.fields].map(field => [field.name, field]));
        const { relations = [], flattenTranslations } = named;
        const ofTexts = source.texts
            ? flattenTranslations
                ? [...texts.map(({ keys }) => keys[0]!), 'languageCode']
                : ['translations']
            : [];
        const names = [
            ...source.fields.map(({ keys }) => keys[0]!),
            ...ofTexts,
            ...relations.map(path => path.split('.')[0]!),
        ];
        this.roots = [...new Set(names)];
    }

    /** A known field; call it only for validated names. */
    field(fieldName: string): SourceField {
        return this.fields.get(fieldName)!;
    }

    /** The field that a filter compares; call it only for validated names. */
    compared(fieldName: string): ComparedField | LinkedField {
        return this.fields.get(fieldName) ?? this.named.beside.get(fieldName)!;
    }

    /** The configured names that the shop does not have, with the allowed ones. */
    get faults(): readonly SchemaIssue[] {
        const { filters = [], includeFields = [], excludeFields = [], sortBy } = this.named;
        return [
            ...filters.flatMap((filter, i) => this.filterFaults(filter, `filters[${i}]`)),
            ...includeFields.flatMap((root, i) => this.rootFaults(root, `includeFields[${i}]`)),
            ...excludeFields.flatMap((root, i) => this.rootFaults(root, `excludeFields[${i}]`)),
            ...this.sortFaults(sortBy),
        ];
    }

    private filterFaults(filter: QueryFilter, path: string): readonly SchemaIssue[] {
        const { beside } = this.named;
        const field = this.fields.get(filter.field) ?? beside.get(filter.field);
        if (!field) return [this.unknown(`${path}.field`, filter.field, [...this.fields.keys(), ...beside.keys()])];
        const problem = filterProblem(filter, field.kind);
        return problem === undefined ? [] : [issueBecause(`${path}.value`, problem, 'verb')];
    }

    private sortFaults(sortBy: string): readonly SchemaIssue[] {
        const field = this.fields.get(sortBy);
        const sortable = [...this.fields.values()].filter(({ kind }) => kind !== 'json').map(known => known.name);
        return field && field.kind !== 'json' ? [] : [this.unknown('sortBy', sortBy, sortable)];
    }

    private rootFaults(root: string, path: string): readonly SchemaIssue[] {
        return this.roots.includes(root) ? [] : [this.unknown(path, root, this.roots)];
    }

    private unknown(path: string, given: string, known: readonly string[]): SchemaIssue {
        const hint = didYouMean(given.slice(0, 64), known);
        const allowed = [...known].sort().join(', ');
        const facts = { value: show(given), entity: this.source.metadata.name, allowed };
        return hint
            ? issueAt(path, ISSUE_TEXTS.misspeltShopField, { ...facts, hint })
            : issueAt(path, ISSUE_TEXTS.noShopField, facts);
    }

    /** Of the translation that a record shows: that of the language, else the first one. */
    private translated(field: SourceField): SourceField {
        const texts = this.source.texts!;
        const rank = sql`CASE WHEN ${texts.at('ft', 'languageCode')} = ${this.named.language} THEN 0 ELSE 1 END`;
        return {
            ...field,
            isNullable: true,
            of: alias => sql`(SELECT ${field.of('ft')} FROM ${texts.table} AS ${name('ft')}
                WHERE ${texts.at('ft', 'base')} = ${this.source.id(alias)}
                ORDER BY ${join([rank, texts.at('ft', 'id')])} LIMIT 1)`,
        };
    }
}

/** Conditions that all must hold. */
export function where(conditions: Parameters<typeof join>[0]): ReturnType<typeof join> {
    return conditions.length === 0 ? EMPTY : sql`${raw(' WHERE ')}${join(conditions, ' AND ')}`;
}
