import { compileImport } from '../import/compile-import';
import type { Conversion, PlannedField, Remedy } from '../import/import-plan';
import { KNOWN_EXPORTS, type KnownField, matchColumns } from '../import/known-exports';
import type { FieldShape } from '../import/target-fields';
import type { DefinitionInput } from '../pipeline/definition';

/** What is known of a file of another system without reading it. */
interface KnownExportFile {
    /** Code of the known export. */
    readonly code: string;
    /** Names of its columns. */
    readonly columns: readonly string[];
    /** Rows to try the pipeline with. */
    readonly csvText: string;
    /** Conversions of fields instead of those that the export declares. */
    readonly conversions?: Readonly<Record<string, readonly Conversion[]>>;
    /** Fields that are not imported. */
    readonly omitted?: readonly string[];
}

const TRIM: Conversion = { type: 'TRIM' };
const NUMBER: Conversion = { type: 'NUMBER', decimals: 'POINT' };
/** Conversions of values whose export declares none. */
const USUAL: Readonly<Partial<Record<FieldShape, readonly Conversion[]>>> = {
    PRICE: [TRIM, NUMBER, { type: 'TO_CENTS' }],
    WHOLE_NUMBER: [TRIM, NUMBER],
};
/** A picture that cannot be fetched does not reject its product. */
const SKIP_PICTURES: Remedy = { type: 'SKIP_PICTURES' };

/** The pipeline that the import of a known export makes, with sample rows in place of the file. */
export function knownExportPipeline({
    code,
    columns,
    csvText,
    conversions = {},
    omitted = [],
}: KnownExportFile): DefinitionInput {
    const known = KNOWN_EXPORTS.find(one => one.code === code)!;
    const fields = known.fields.filter(({ field }) => !omitted.includes(field));
    const definition = compileImport({
        version: 1,
        source: { kind: 'FILE', fileId: '1' },
        facts: {
            format: 'CSV',
            encoding: 'utf-8',
            decimals: 'POINT',
            headerRow: 1,
            skipAfterHeader: 0,
            footerRows: 0,
        },
        target: known.target,
        knownExport: code,
        matchBy: known.matchBy,
        fields: fields.flatMap(field => plannedFields(field, columns, conversions[field.field])),
        ...(known.variants && { variants: known.variants }),
        prices: { missing: 'REJECT' },
        missing: { action: 'NONE', maxShare: 0.1 },
        createMissingFacetValues: true,
        remedies: fields.some(({ field }) => field === 'assets') ? [SKIP_PICTURES] : [],
    });
    const steps = definition.steps.map(step => {
        const { fileId, ...config } = step.config;
        return fileId === undefined ? step : { ...step, config: { ...config, csvText } };
    });
    return { ...definition, steps };
}

function plannedFields(
    { field, columns: wanted, shape, conversions }: KnownField,
    columns: readonly string[],
    own: readonly Conversion[] | undefined,
): readonly PlannedField[] {
    const found = matchColumns(wanted, columns);
    if (found.length === 0) return [];
    return [
        {
            field,
            columns: shape === 'IMAGE' ? found : found.slice(0, 1),
            conversions: own ?? conversions ?? USUAL[shape] ?? [TRIM],
        },
    ];
}
