/** Bundles page and worker and puts the shipped scenarios next to them. */
export function buildPlayground(folder: string): Promise<void>;
