import type { ExtractContext, Extractor, Page } from '../../src/core/adapter/extractor';
import { noNetwork } from '../../src/core/adapter/http';
import { noResources } from '../../src/core/adapter/no-resources';
import { systemClock } from '../../src/core/data/clock';
import type { JsonObject } from '../../src/core/data/json';
import { parseWith } from '../../src/core/schema/issues';

/** An extractor and how it is configured. */
export interface Extraction {
    readonly extractor: Extractor;
    readonly config: JsonObject;
}

/** All pages, with nothing around the extractor but what the test gives. Throws what is wrong with the configuration. */
export async function readPages(
    { extractor, config }: Extraction,
    part: Partial<ExtractContext> = {},
): Promise<readonly Page[]> {
    const parsed = parseWith(extractor.config, config);
    if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
    const silent = (): void => undefined;
    const pages = extractor.extract(parsed.value, {
        stepKey: 'source',
        mode: 'live',
        signal: new AbortController().signal,
        log: { debug: silent, info: silent, warn: silent, error: silent },
        clock: systemClock,
        platform: undefined,
        http: noNetwork,
        ...noResources,
        resumeFrom: undefined,
        limit: undefined,
        ...part,
    });
    const all: Page[] = [];
    for await (const page of pages) all.push(page);
    return all;
}
