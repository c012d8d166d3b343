import { adaptersRoute } from './pages/adapters/route';
import { connectionRoute } from './pages/connection/route';
import { connectionsRoute } from './pages/connections/route';
import { editorRoute } from './pages/editor/route';
import { exportRoute } from './pages/export/route';
import { feedsRoute } from './pages/feeds/route';
import { filesRoute } from './pages/files/route';
import { importRoute } from './pages/import/route';
import { logsRoute } from './pages/logs/route';
import { newPipelineRoute } from './pages/new-pipeline/route';
import { overviewRoute } from './pages/overview/route';
import { pipelineRoute } from './pages/pipeline/route';
import { pipelinesRoute } from './pages/pipelines/route';
import { recordErrorsRoute } from './pages/record-errors/route';
import { runRoute } from './pages/run/route';
import { runsRoute } from './pages/runs/route';
import { secretsRoute } from './pages/secrets/route';
import { settingsRoute } from './pages/settings/route';

import { homeRoute } from './ground/home-route';

/** All pages of Flow. A page is a folder below `pages`; its route is registered here. */
export const routes = [
    homeRoute,
    overviewRoute,
    importRoute,
    exportRoute,
    pipelinesRoute,
    pipelineRoute,
    newPipelineRoute,
    editorRoute,
    runsRoute,
    runRoute,
    recordErrorsRoute,
    connectionsRoute,
    connectionRoute,
    secretsRoute,
    filesRoute,
    feedsRoute,
    logsRoute,
    adaptersRoute,
    settingsRoute,
];
