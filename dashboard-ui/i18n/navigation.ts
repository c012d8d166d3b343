import { msg } from '@lingui/core/macro';

/** What the navigation shows: the host knows its lines by these keys. */
export const navigation = [
    msg({ id: 'flow.nav', message: 'Flow' }),
    msg({ id: 'flow.nav.overview', message: 'Overview' }),
    msg({ id: 'flow.nav.import', message: 'Import' }),
    msg({ id: 'flow.nav.export', message: 'Export' }),
    msg({ id: 'flow.nav.pipelines', message: 'Pipelines' }),
    msg({ id: 'flow.nav.runs', message: 'Runs' }),
    msg({ id: 'flow.nav.connections', message: 'Connections' }),
    msg({ id: 'flow.nav.secrets', message: 'Secrets' }),
    msg({ id: 'flow.nav.files', message: 'Files' }),
    msg({ id: 'flow.nav.feeds', message: 'Feeds' }),
    msg({ id: 'flow.nav.logs', message: 'Logs & Analytics' }),
    msg({ id: 'flow.nav.adapters', message: 'Adapters' }),
    msg({ id: 'flow.nav.settings', message: 'Settings' }),
    msg({ id: 'flow.nav.record-errors', message: 'Record errors' }),
];
