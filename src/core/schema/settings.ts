import { z } from 'zod';

/** How a run goes about its records. Ranges and defaults: `throughputSchema`. */
export interface Throughput {
    readonly batchSize: number;
    readonly concurrency: number;
    readonly rateLimitRps: number;
}

/** What is tried again, and when a run gives up. Ranges and defaults: `errorHandlingSchema`. */
export interface ErrorHandling {
    readonly maxRetries: number;
    readonly retryDelayMs: number;
    readonly backoffMultiplier: number;
    readonly maxErrors?: number;
    readonly maxErrorRate?: number;
}

/** What of `errorHandling` a step may have of its own; what it leaves out is the pipeline's. */
export type StepRetry = Partial<Pick<ErrorHandling, 'maxRetries' | 'retryDelayMs' | 'backoffMultiplier'>>;

/** Permissions of the platform that a run needs beyond those of its adapters. */
export interface Capabilities {
    readonly requires: readonly string[];
}

/** Ranges and defaults of `throughput`; the form of a pipeline is made from it too. */
export const throughputSchema = z.strictObject({
    batchSize: z.int().min(1).max(10_000).default(100).meta({
        title: 'Batch size',
        description: 'How many records travel together and are committed in one transaction.',
    }),
    concurrency: z.int().min(1).max(16).default(1).meta({
        title: 'Concurrency',
        description: 'How many batches are under way at the same time; 1 keeps the order of the source.',
    }),
    rateLimitRps: z.number().min(0).max(1000).default(0).meta({
        title: 'Requests per second',
        description: 'Most outbound HTTP requests of a run in a second; 0 sets no limit.',
    }),
}) satisfies z.ZodType<Throughput>;

/** Ranges and defaults of `errorHandling`. */
export const errorHandlingSchema = z.strictObject({
    maxRetries: z.int().min(0).max(10).default(3).meta({
        title: 'Retries',
        description: 'How often a batch is tried again after a passing fault of the network or a database.',
    }),
    retryDelayMs: z.int().min(0).max(300_000).default(1000).meta({
        title: 'Delay before a retry',
        description: 'The longest wait before the first retry, in milliseconds.',
    }),
    backoffMultiplier: z.number().min(1).max(10).default(2).meta({
        title: 'Backoff',
        description: 'By how much the longest wait grows from one retry to the next.',
    }),
    maxErrors: z.int().min(0).optional().meta({
        title: 'Most rejected records',
        description: 'The run fails when more records than this are rejected; without it any number may be.',
    }),
    maxErrorRate: z.number().min(0).max(1).optional().meta({
        title: 'Highest share of rejected records',
        description:
            'The run fails when a larger share of its records is rejected (0 to 1), judged after the first 100 records.',
    }),
}) satisfies z.ZodType<ErrorHandling>;

const { maxRetries, retryDelayMs, backoffMultiplier } = errorHandlingSchema.shape;

/** The schema of a step's `retry`: the ranges are those of `errorHandling`. */
export const stepRetrySchema = z.strictObject({
    maxRetries: maxRetries.unwrap().optional().meta({
        title: 'Retries',
        description: 'How often work of this step is tried again after a passing fault; 0 never tries it again.',
    }),
    retryDelayMs: retryDelayMs.unwrap().optional().meta({
        title: 'Delay before a retry',
        description: 'The longest wait before the first retry, in milliseconds.',
    }),
    backoffMultiplier: backoffMultiplier.unwrap().optional().meta({
        title: 'Backoff',
        description: 'By how much the longest wait grows from one retry to the next.',
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
