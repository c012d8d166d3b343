import { z } from 'zod';

/** How the cells of CSV are read, of every extractor of CSV files. */
export const cellFields = {
    trim: z.boolean().meta({
        title: 'Trim cells',
        description:
            'Removes blanks around cells; a quote after blanks opens a quoted cell. Blanks within quotes are kept.',
    }),
    formulaSafe: z.boolean().meta({
        title: 'Formula-safe',
        description:
            'The file was written with formulaSafe, as the fileExport sink does by default: the apostrophe before cells such as =1+1 and @brand is removed.',
    }),
} as const;
