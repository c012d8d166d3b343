import { z } from 'zod';

/** Whether an index is rebuilt. */
export const rebuildField = z.boolean().default(false).meta({
    title: 'Rebuild',
    description:
        'Records go into a new index, which replaces the old one at once if the run has read all of its sources and rejected nothing. Until then, searches use the old one.',
});

/** Notes of all search engines. */
export const SEARCH_NOTES: readonly string[] = [
    'A record is delivered as a whole and replaces the document with its id. If two records have the same id, the later one stays, even after retries.',
    'With rebuild, if a run got its records from outside, has not read a source completely, or has rejected records, the index stays as it was, the new one is deleted, and the log says so.',
    'Requests go to public addresses and to the hosts of the plugin option security.allowedHostnames. Redirects with 307 or 308 are followed within the origin of the address; any other redirect fails the run.',
];
