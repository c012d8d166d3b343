import { manual } from './manual';

/** Every trigger type of the core. */
export const triggers = [manual] as const;
