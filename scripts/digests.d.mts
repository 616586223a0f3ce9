export function fixedScenarios(): readonly (readonly [name: string, text: string])[];
export function buildDigestsPage(folder: string): Promise<string>;
