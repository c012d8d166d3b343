/**
 * The version of this package, as its package.json has it. Written down here, since within a bundle there is no package.json to be read, or
 * that of the shop.
 */
export const FLOW_VERSION = '1.0.0-beta.1';
