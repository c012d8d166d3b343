import { csv } from './extractors/csv';
import { generator } from './extractors/generator';
import { inMemory } from './extractors/in-memory';

/** Every extractor that needs no platform. */
export const extractors = [inMemory, generator, csv] as const;
