import { CreateFlowTables1763683200000 } from './1763683200000-create-flow-tables';
import { CreateFlowFiles1763769600000 } from './1763769600000-create-flow-files';
import { AddDifferences1763856000000 } from './1763856000000-add-differences';
import { AddPlaces1763942400000 } from './1763942400000-add-places';
import { AddStoredIssues1764028800000 } from './1764028800000-add-stored-issues';
import { AddOwnLines1764115200000 } from './1764115200000-add-own-lines';
import { AddHeldBatches1764201600000 } from './1764201600000-add-held-batches';
import { AddEffectAttempts1764201700000 } from './1764201700000-add-effect-attempts';
import { CreateLeaderLeases1764288000000 } from './1764288000000-create-leader-leases';
import { AddOccurrences1764288060000 } from './1764288060000-add-occurrences';
import { UniteLeases1764374400000 } from './1764374400000-unite-leases';
import { AddSeeds1764374460000 } from './1764374460000-add-seeds';
import { CreateWebhookKeys1764460800000 } from './1764460800000-create-webhook-keys';
import { CreateEventTriggerOutbox1764460920000 } from './1764460920000-create-event-trigger-outbox';
import { CreateRunStatistics1764460860000 } from './1764460860000-create-run-statistics';
import { AddGateDecisions1764460980000 } from './1764460980000-add-gate-decisions';
import { CreatePictures1764461040000 } from './1764461040000-create-pictures';
import { AddReplays1764547200000 } from './1764547200000-add-replays';
import { AddStepSigns1764547260000 } from './1764547260000-add-step-signs';
import { CreateEntityHistory1764547320000 } from './1764547320000-create-entity-history';
import { CreateRemoteActions1764634000000 } from './1764634000000-create-remote-actions';
import { CreateExports1764720000000 } from './1764720000000-create-exports';
import { CreateFileWatches1764806400000 } from './1764806400000-create-file-watches';
import { CreateReceivedMessages1764892800000 } from './1764892800000-create-received-messages';
import { WidenStatisticsIndex1764979200000 } from './1764979200000-widen-statistics-index';
import { IndexReservedPictures1765065600000 } from './1765065600000-index-reserved-pictures';
import { AddAllowedHosts1765238400000 } from './1765238400000-add-allowed-hosts';
import { AddFirstListings1765152000000 } from './1765152000000-add-first-listings';
import { AddHeldDigest1765324800000 } from './1765324800000-add-held-digest';

/** Flow's migrations, oldest first; the plugin adds them to the shop's own. */
export const flowMigrations = [
    CreateFlowTables1763683200000,
    CreateFlowFiles1763769600000,
    AddDifferences1763856000000,
    AddPlaces1763942400000,
    AddStoredIssues1764028800000,
    AddOwnLines1764115200000,
    AddHeldBatches1764201600000,
    AddEffectAttempts1764201700000,
    CreateLeaderLeases1764288000000,
    AddOccurrences1764288060000,
    UniteLeases1764374400000,
    AddSeeds1764374460000,
    CreateWebhookKeys1764460800000,
    CreateRunStatistics1764460860000,
    CreateEventTriggerOutbox1764460920000,
    AddGateDecisions1764460980000,
    CreatePictures1764461040000,
    AddReplays1764547200000,
    AddStepSigns1764547260000,
    CreateEntityHistory1764547320000,
    CreateRemoteActions1764634000000,
    CreateExports1764720000000,
    CreateFileWatches1764806400000,
    CreateReceivedMessages1764892800000,
    WidenStatisticsIndex1764979200000,
    IndexReservedPictures1765065600000,
    AddFirstListings1765152000000,
    AddAllowedHosts1765238400000,
    AddHeldDigest1765324800000,
];
