import type { ExtractContext, Extractor, Page } from '../core/adapter/extractor';
import type { ContractContext } from './contract';
import { parsed } from './contract';
import { contextWith } from './context';
import { deepFrozen } from './frozen';

/** An extractor and how it is configured. */
interface Extraction {
    readonly extractor: Extractor;
    readonly config: object;
}

/** The input of an extractor in addition to that of every adapter. */
export interface ExtractPart extends ContractContext, Partial<Pick<ExtractContext, 'resumeFrom' | 'limit'>> {}

/** The context of an extractor in a run without a shop or a network. */
export function extractContext({ resumeFrom, limit, ...part }: ExtractPart = {}): ExtractContext {
    return { ...contextWith(part), resumeFrom, limit };
}

/** The pages of an extractor that cannot change its configuration. */
export function extractedPages(
    { extractor, config }: Extraction,
    part: ExtractPart = {},
): AsyncGenerator<Page, void, void> {
    return extractor.extract(deepFrozen(parsed(extractor, config)), extractContext(part));
}

/** All pages, to the end. */
export async function readPages(extraction: Extraction, part: ExtractPart = {}): Promise<readonly Page[]> {
    const pages: Page[] = [];
    for await (const page of extractedPages(extraction, part)) pages.push(page);
    return pages;
}
