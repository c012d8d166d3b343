import { formatter } from '@lingui/format-po';

/** How the texts of the dashboard's pages are gathered: in one folder, since the host reads one for each extension. */
export default {
    sourceLocale: 'en',
    locales: ['en', 'de'],
    format: formatter({ lineNumbers: false, origins: false }),
    orderBy: 'message',
    rootDir: new URL('..', import.meta.url).pathname,
    catalogs: [
        {
            path: `${process.env.FLOW_TEXTS ?? '<rootDir>/dashboard-ui/i18n'}/{locale}`,
            include: ['<rootDir>/dashboard-ui'],
        },
    ],
};
