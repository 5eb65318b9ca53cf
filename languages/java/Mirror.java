import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Answers the values of a case in reverse order: the program of the suite languages/session-suite. */
final class Mirror {
    public static void main(String[] arguments) throws Exception {
        XtestSession.serve(Mirror::mirror, "mirror", "1.0");
    }

    private static List<String> mirror(List<String> values) throws XtestSession.Skipped {
        if (values.indexOf("\"skip\"") == 0) throw new XtestSession.Skipped("asked to skip");
        if (values.indexOf("\"fail\"") == 0) throw new IllegalArgumentException("asked to fail");
        List<String> reversed = new ArrayList<>(values);
        Collections.reverse(reversed);
        return reversed;
    }
}
