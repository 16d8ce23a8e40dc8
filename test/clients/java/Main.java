/** Runs the scenarios that are named.  One that breaks off is one failure, the next ones run all the same. */
public class Main
{
	public static void main(String[] names)
	{
		for (String name : names)
			try
			{
				Harness.scenario = name.substring("Scenario".length());
				Class.forName(name).getMethod("run").invoke(null);
				Harness.dropTables();
			}
			catch (ReflectiveOperationException e)
			{
				System.out.println("not ok - Java: " + name + " ran to its end");
				(e.getCause() == null ? e : e.getCause()).printStackTrace(System.out);
			}
	}
}
