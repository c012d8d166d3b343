import { createHash } from 'node:crypto';
import type { JsonValue } from '../value/json';
import { canonicalTexts } from '../data/canonical-texts';
import { runAtOnce, type YieldingTask } from '../concurrency/yielding-task';
import type { PipelineDefinition } from './definition';

/** The SHA-256 of a checked definition: equal for definitions that do the same, whatever the order of their keys. */
export function definitionDigest(definition: PipelineDefinition): string {
    return runAtOnce(digestingDefinition(definition));
}

/** As `definitionDigest`. */
export function digestingDefinition(definition: PipelineDefinition): YieldingTask<string> {
    return digesting(definition as unknown as JsonValue);
}

/** The SHA-256 of a value's canonical text. */
export function* digesting(value: JsonValue): YieldingTask<string> {
    const hash = createHash('sha256');
    yield* canonicalTexts(value, text => hash.update(text));
    return hash.digest('hex');
}
