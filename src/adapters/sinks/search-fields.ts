import { z } from 'zod';

/** Whether an index is rebuilt. */
export const rebuildField = z.boolean().default(false).meta({
    title: 'Rebuild',
    description:
        'Records go into a new index, which takes the place of the old one at once when the run has read all of its sources and has rejected nothing. Until then searches find what they found before.',
});

/** Notes of all search engines. */
export const SEARCH_NOTES: readonly string[] = [
    'A record is delivered whole, and takes the place of the document with its id. Of two records with one id the later one stays, whatever is tried again.',
    'With rebuild, a run that was given its records, has not read a source whole or has rejected some leaves the index as it was, drops what it has built, and says so.',
    'Requests go to public addresses and to the hosts of the plugin option security.allowedHostnames. A redirect by 307 or 308 is followed within the origin of the address, and any other fails the run.',
];
