export declare const CORE_ROOMS: Readonly<Record<string, readonly string[]>>;
export declare function importsOf(text: string): string[];
export declare function violationsOf(file: string, text: string): string[];
export declare function sourceFiles(root: string): string[];
