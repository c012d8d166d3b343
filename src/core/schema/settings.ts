import { z } from 'zod';

/** How a run processes its records. `throughputSchema` has the ranges and defaults. */
export interface Throughput {
    readonly batchSize: number;
    readonly concurrency: number;
    readonly rateLimitRps: number;
}

/** What is retried, and when a run fails. `errorHandlingSchema` has the ranges and defaults. */
export interface ErrorHandling {
    readonly maxRetries: number;
    readonly retryDelayMs: number;
    readonly backoffMultiplier: number;
    readonly maxErrors?: number;
    readonly maxErrorRate?: number;
}

/** The part of `errorHandling` that a step can override; a field that it leaves out comes from the pipeline. */
export type StepRetry = Partial<Pick<ErrorHandling, 'maxRetries' | 'retryDelayMs' | 'backoffMultiplier'>>;

/** Permissions of the platform that a run needs in addition to those of its adapters. */
export interface Capabilities {
    readonly requires: readonly string[];
}

/** Ranges and defaults of `throughput`. The form of a pipeline is built from it, too. */
export const throughputSchema = z.strictObject({
    batchSize: z.int().min(1).max(10_000).default(100).meta({
        title: 'Batch size',
        description: 'How many records are processed together and committed in one transaction.',
    }),
    concurrency: z.int().min(1).max(16).default(1).meta({
        title: 'Concurrency',
        description: 'How many batches are processed at the same time; 1 keeps the order of the source.',
    }),
    rateLimitRps: z.number().min(0).max(1000).default(0).meta({
        title: 'Requests per second',
        description: 'Maximum number of outbound HTTP requests of a run per second; 0 means no limit.',
    }),
}) satisfies z.ZodType<Throughput>;

/** Ranges and defaults of `errorHandling`. */
export const errorHandlingSchema = z.strictObject({
    maxRetries: z.int().min(0).max(10).default(3).meta({
        title: 'Retries',
        description: 'How often a batch is retried after a temporary network or database error.',
    }),
    retryDelayMs: z.int().min(0).max(300_000).default(1000).meta({
        title: 'Delay before a retry',
        description: 'The maximum wait before the first retry, in milliseconds.',
    }),
    backoffMultiplier: z.number().min(1).max(10).default(2).meta({
        title: 'Backoff',
        description: 'The factor by which the maximum wait grows from one retry to the next.',
    }),
    maxErrors: z.int().min(0).optional().meta({
        title: 'Maximum rejected records',
        description: 'The run fails if more records than this are rejected. Default: no limit.',
    }),
    maxErrorRate: z.number().min(0).max(1).optional().meta({
        title: 'Maximum share of rejected records',
        description:
            'The run fails if a larger share of its records is rejected (0 to 1). It is checked after the first 100 records.',
    }),
}) satisfies z.ZodType<ErrorHandling>;

const { maxRetries, retryDelayMs, backoffMultiplier } = errorHandlingSchema.shape;

/** The schema of a step's `retry`, with the ranges of `errorHandling`. */
export const stepRetrySchema = z.strictObject({
    maxRetries: maxRetries.unwrap().optional().meta({
        title: 'Retries',
        description: 'How often work of this step is retried after a temporary error; 0 means never.',
    }),
    retryDelayMs: retryDelayMs.unwrap().optional().meta({
        title: 'Delay before a retry',
        description: 'The maximum wait before the first retry, in milliseconds.',
    }),
    backoffMultiplier: backoffMultiplier.unwrap().optional().meta({
        title: 'Backoff',
        description: 'The factor by which the maximum wait grows from one retry to the next.',
    }),
}) satisfies z.ZodType<StepRetry>;

const PERMISSION = /^[A-Za-z][A-Za-z0-9]*$/;

/** The schema of `capabilities`. */
export const capabilitiesSchema = z.strictObject({
    requires: z
        .array(z.string().max(128).regex(PERMISSION, 'allowed: the name of a permission, such as UpdateCatalog'))
        .default([])
        .meta({ title: 'Requires', description: 'Permissions of the platform, such as UpdateCatalog.' }),
}) satisfies z.ZodType<Capabilities>;
