import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { connectionCode, withRules, wholeNumber } from '../../core/schema/fields';

const name = (title: string, description: string) => z.string().min(1).max(255).meta({ title, description });

/** The configuration of `cdc`. */
export const cdcConfig = withRules(
    z.strictObject({
        connectionCode: connectionCode(['POSTGRES', 'MYSQL'], {
            title: 'Connection',
            description: 'The saved connection to the database.',
            typeField: 'databaseType',
        }),
        databaseType: z.enum(['POSTGRES', 'MYSQL']).meta({
            title: 'Database type',
            description: 'PostgreSQL, or MySQL (also MariaDB). Must match the connection.',
            aliases: { DB_KIND_A: 'POSTGRES', DB_KIND_B: 'MYSQL' },
        }),
        table: z
            .string()
            .min(1)
            .max(255)
            .regex(
                /^[^.\p{Cc}]+(\.[^.\p{Cc}]+){0,2}$/u,
                'allowed: the name of a table or view, with its schema in front and a dot between if need be',
            )
            .meta({
                title: 'Table',
                description: 'The table or view to read, with its name in the database: orders, or erp.orders.',
            }),
        trackingColumn: name(
            'Tracking column',
            'The column that increases whenever a row changes: a timestamp or a number. Must not be NULL.',
        ),
        trackingType: z.enum(['TIMESTAMP', 'VERSION']).meta({
            title: 'Tracking type',
            description: 'Whether the tracking column contains timestamps or numbers.',
            aliases: {},
        }),
        primaryKey: name('Primary key', 'The column that identifies a row. Unique, never NULL, never changed.'),
        columns: z.array(z.string().min(1).max(255)).min(1).max(1_000).optional().meta({
            title: 'Columns',
            description: 'The columns of a record. Default: all columns.',
        }),
        batchSize: wholeNumber(
            { min: 1, max: 100_000 },
            { title: 'Batch size', description: 'The maximum number of rows per run.' },
        ).default(1_000),
        includeDeletes: z.boolean().default(false).meta({
            title: 'Include deletes',
            description: 'Reads rows with a value in the delete column as deleted.',
        }),
        deleteColumn: name(
            'Delete column',
            'The column with the time of the deletion; NULL for rows that are not deleted. Required with includeDeletes.',
        ).optional(),
        operationField: name('Operation field', 'The field of the record for the operation: UPSERT, UPDATE or DELETE.')
            .refine(
                field => field !== '__proto__',
                'allowed: any other name, because a record cannot have the field __proto__',
            )
            .default('__operation'),
        lagSeconds: wholeNumber(
            { min: 0, max: 86_400 },
            {
                title: 'Lag',
                description:
                    'Rows that changed within this number of seconds are left for the next run. Choose a value longer than the longest transaction that writes the table, so that no row is committed before the position that was read. Only for TIMESTAMP.',
            },
        ).default(0),
        trackingZone: z.enum(['SERVER', 'UTC']).default('SERVER').meta({
            title: 'Tracking zone',
            description:
                "For lagSeconds, if the tracking column has no time zone: whether its timestamps are in the time zone of the server's clock (NOW()) or in UTC.",
            aliases: {},
        }),
    }),
    ({ trackingType, trackingColumn, primaryKey, includeDeletes, deleteColumn, lagSeconds }, issue) => {
        if (includeDeletes === true && deleteColumn === undefined)
            issue('deleteColumn', clause`is missing; includeDeletes needs it`);
        if (typeof primaryKey === 'string' && primaryKey === trackingColumn)
            issue(
                'primaryKey',
                clause`is "${primaryKey}" as trackingColumn is; allowed: another column, which is unique`,
            );
        if (trackingType === 'VERSION' && typeof lagSeconds === 'number' && lagSeconds > 0)
            issue(
                'lagSeconds',
                clause`is ${lagSeconds}; allowed: 0 with trackingType VERSION, whose values are not times`,
            );
    },
);

export type CdcConfig = z.output<typeof cdcConfig>;
