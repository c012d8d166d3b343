import { CreateFlowTables1763683200000 } from './1763683200000-create-flow-tables';

/** Flow's migrations, oldest first; the plugin adds them to the shop's own. */
export const flowMigrations = [CreateFlowTables1763683200000];
